// Package infer solves regularised LCQPs of package lcqp.
package infer
