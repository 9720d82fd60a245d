// Package serve answers examples over HTTP with a trained model.
//
//	config, model, err := command.Open(tasks, "checkpoints/mnist-add2-energy-150-split0", "")
//	answers, err := model.(learning.Answerer).Answers()
//	server := serve.New(config.Task, serve.Options{}, answers)
//	defer server.Close()
//	err = server.Run(ctx, listener) // until ctx ends and what was begun is finished
//
// The protocol is the Open Inference Protocol, version 2, over HTTP, with Triton's extensions for
// binary tensors, statistics, the model's configuration and the index of the repository. Models
// have the one version 1. docs/SERVING.md has the paths, the tensors of infer, the forms of
// explain and the limits. A picture to explain is laid out as mnist.ReadPictures does, and the answer has the
// reasons, learning.Why; the page at / is made of it.
//
// NewFile serves the networks of a model file (package train/modelfile) under the same paths. Rows are
// modelfile.Row, and the answer to explain is a modelfile.Prediction.
//
// # Load
//
// Requests for digits wait a little (Options.Wait) for others on their way and are answered together; the answer
// to an example does not depend on what it is answered with. A bounded number
// (Options.Queue) is held at once, so that accepted ones are answered in bounded time.
//
// # Failures
//
// A failure is answered with a status and {"error": …}; an error or a panic of the model is logged, and the server goes on.
// Run ends when its context does: readiness turns 503, no connection is taken any longer, and requests that have begun are answered.
//
// A Server may be used by many goroutines; one of its own asks each copy of the model. A model
// file has one copy, which answers one request after the other.
package serve
