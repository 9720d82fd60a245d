// Package addition makes the tables of MNIST-Addition: the paper's Table 6 and
// those of ours.
//
//   - [Table6]: accuracy of the sum by system (NeuPSL with each loss,
//     DeepProbLog, LTN, CNN) with the paper's recipe and protocol, for 600 and 6,000
//     training images and one- and two-digit numbers, over five splits.
//   - [Fresh]: the same with our recipe, judged on five other splits and on
//     MNIST's own test images.
//   - [Selection]: by which accuracies on validation the settings of our recipe were
//     chosen; its runs have no test.
//   - [Ablation]: what each ingredient of our recipe is worth, on validation too.
//   - [NoisyRules]: what learned rule weights are for, by a rule base with wrong
//     rules in it.
//   - [Full]: numbers of 1, 2, 4 and 15 digits on all 60,000 images; [Long]: of 100,
//     200 and 500.
//
// Every cell is a run of package train, in a folder of its own under
// Options.Dir that is named by a digest of the configuration and by the program's
// commit: a run that was interrupted goes on where it was, and one that was finished
// is read; its checkpoints are removed. The accuracy in Table 6 is that on the published
// protocol's 500 or 250 test additions; that on 2,500 or 1,250 further ones, whose
// sampling error is less than half, stands in a table of its own below, with the
// accuracy on validation and of single digits.
//
// A builder fails only for an unknown recipe; missing data is an error of the
// first run. Runs of one Options.Dir must not overlap in time.
package addition
