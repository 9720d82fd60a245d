// Package traintest has a neural-symbolic task small enough to train in a
// second, for tests of the training loop with every loss: interruption, resume,
// leaks.
//
// An example is two points of the plane, each near one of three centres, its class. A
// perceptron reads each point; a hinge-loss model connects the classes of the two through the
// atom Same. Labels are Same and the class of the first point; the class of the second is
// latent, and the accuracy is how often inference finds it.
//
//	config := traintest.Config("bce", 200)
//	model, err := traintest.New(config)
//	result := traintest.Run(t, config, model, train.Options{Dir: dir})
//
// Run, RunUntil and Observer run, interrupt and watch any task's model. LossFalls checks the
// gradient of any task's model. Learn makes a run, and Differ lists the differences between
// the ends of two runs: for tests of data that learning must not see.
//
// Errors come from the packages it uses. A model is used by one goroutine.
package traintest
