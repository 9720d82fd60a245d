// Package examples holds small classic models in the reference system's format,
// one a folder: model.json, rules.psl, data and a README with the command and
// what it prints. Its tests run them all: the solution is an optimum, the
// answers beat the obvious guess, and the READMEs tell the truth. The models named
// neural- and mnist- have networks, which are trained first.
//
// The data of all but smokers are made by the command in folder generate.
package examples
