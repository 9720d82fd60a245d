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
// have the one version 1, which paths may name; bodies may be compressed by gzip or deflate.
// Tensors are read and written by
//
//	POST /v2/models/{model}/infer
//
// with one input, images, FP32 [n, k, height, width] in [0, 1], light ink on 0, laid out
// as the task's own images are; a pixel is rounded to the 255th part. Outputs are answer,
// INT64 [n]; digits, the network's beliefs, FP32 [n, k, classes]; and where there are
// rules gap, FP64 [n], |primal − dual| of the MAP state's program, violation, FP64 [n],
// by how much that state breaks a hard rule at most, and unmet, BYTES [n], the hard
// rules that cannot be met, one a line, empty where the answer satisfies all of them, and tied,
// BOOL [n], whether other answers are as good. Where hard rules contradict each other the answer is −1, and gap and
// violation are null, NaN in binary tensors.
//
// POST /v2/models/{model}/explain takes pictures of any size, PNG, JPEG or GIF, as the parts
// of a multipart form, lays them out as mnist.ReadPictures does and gives, besides the
// answer, the reasons: learning.Why. The page at / is made of it. GET /metrics is for Prometheus.
//
// # Models in files
//
// NewFile serves the networks of a model file (package train/modelfile) under the same paths. A
// request to infer has some of the inputs: for each network that it asks FP32 [n, shape…] by the
// name of the predicate that describes it, and where these are of entities BYTES [n, fields],
// PREDICATE.entity, with empty texts for an input that is of none; examples of their own are rows
// (modelfile.Row) of an observed predicate, BYTES [n, arguments], by its name. Outputs are each
// predicate's values, FP32 [n, classes]; atoms, BYTES [m], and values, FP64 [m], the MAP values of the
// atoms that share a ground rule with an output for the entities or are about the rows; holds, INT64
// [m], whether a value is at least the predicate's threshold, −1 without one; and gap, violation and
// unmet, [1], or [0] where there is none. A part of a form
// to explain is an input by the name PREDICATE or PREDICATE:ENTITY, its numbers in text or, for
// networks that see images of MNIST's size, a picture; the answer is a modelfile.Prediction.
//
// # Load
//
// Requests for digits wait a little (Options.Wait) for others on their way and are answered together; the answer
// to an example does not depend on what it is answered with. A bounded number
// (Options.Queue) is held at once; those beyond are refused at once with 429 and
// Retry-After, so that accepted ones are answered in bounded time. Sizes of bodies,
// headers, images and requests and the time to read one are bounded too.
//
// # Failures
//
// What cannot be read is answered with 400 and what to do, a body over its bound with
// 413, a model that is not there with 404, all as {"error": …}. An error or a panic of the
// model is answered with 500 and logged; the server goes on. Run ends when its context
// does: readiness turns 503, no connection is taken any longer, and requests that have
// begun are answered.
//
// A Server may be used by many goroutines; one of its own asks each copy of the model. A model
// file has one copy, which answers one request after the other.
package serve
