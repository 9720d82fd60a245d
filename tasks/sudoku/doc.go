// Package sudoku is visual sudoku as a task: tell boards of handwritten digits that are a
// valid sudoku from those that are not, with nobody telling any digit (package
// data/sudoku has the boards: the published protocol with disjoint images).
//
// A network looks at one cell and says for each of n classes how likely it is. One
// template for boards of any side, rules/sudoku.psl, says of each row, column and block
// that a valid board shows every class there once. With p the network's beliefs,
//
//	V(valid) = Σ_G Σ_K ½ (Σ_{C∈G} p_CK − 1)²   except for ε
//
// is the energy of the label valid. The network learns by the paper's energy loss: V of
// the valid training boards, over random draws of the classes, as linear and squared
// rules alike are content with beliefs without a decision. At such draws V grows with the
// number of pairs of equal cells in a house: its mean is low only where no two cells of a
// house, and so no two different digits, are of one class. Which class stands for which
// digit is the network's to choose, and changes no answer.
//
// The invalid training boards teach nothing here: with the label fixed to 0, V is 0 for any
// outputs. They have the same images. The published NeuPSL leaves them out too.
//
// # What is ours
//
//   - Draws, as everywhere in this project (docs/LEARNING.md).
//   - The loss k-best (package bilevel) in place of energy, if asked for;
//     k-best lists the 288 valid boards of 4×4, and is refused for 9×9.
//   - Pre-training by contrast (package simclr) on the images of the training boards. From
//     random weights two digits of a 9×9 board often share two classes for good: a saddle,
//     with next to no gradient once the network's features no longer tell the two apart.
//   - The answer: a board is held for valid if V(valid) is at most a threshold. It is the
//     one that is right most often on the validation boards, for the weights at hand. Beliefs
//     come from a softmax at test-temperature, 4, as a network that has learned decisions is far
//     too sure of itself: one doubtful cell of a valid board would cost as much as a
//     wrong digit of an invalid one.
//
// The column parts is the share of images that have the class which most images of their
// digit have; nothing is learned from digits.
//
//	model, err := sudoku.Task{}.Open(config, "")
//	result, err := train.Run(ctx, config, model, train.Options{Dir: dir})
//
// A test reports auroc, the area under the receiver operating characteristic of
// −V(valid), beside the accuracy.
//
// Faults of the rules are config.UsageError with file:line:col, faults of the images
// learning.DataError. A Model is used by one goroutine and parallelises inside.
package sudoku
