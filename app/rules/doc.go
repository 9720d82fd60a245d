// Package rules is the command that finds rules in facts, learns their weights and ranks answers with
// them. Packages symbolic/rulemining and train/ruleweights do the work; here are the flags, the
// folder of facts, the run folder with its records, the model file that is written, and explanations.
package rules
