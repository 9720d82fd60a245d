// Package losses runs every registered loss on six small tasks with one budget a task, to say
// which loss a task should learn by.
//
// Table is a tables.Builder for lab/cmd/bench, which has to be started in the root of the repository,
// where examples is. Which losses a task has it says itself (config.Config.Losses and Validate);
// none is named here. Nothing is kept between calls. A run that is interrupted goes on from its
// checkpoint in the table's folder of runs.
package losses
