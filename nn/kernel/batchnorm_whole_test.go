package kernel

// batchNormForward is both halves of the forward pass.
func batchNormForward[T Float](x, gamma, beta, residual, y, mean, variance, invstd []T, relu bool, eps T, rows, c int) {
	moments := make([]float64, 2*c)
	BatchNormMoments(x, moments, rows, c)
	BatchNormApply(x, gamma, beta, residual, y, moments, mean, variance, invstd, relu, eps, rows, c)
}

// batchNormBackward is both halves of the backward pass, with the gradients of gamma and beta.
func batchNormBackward[T Float](dy, x, y, gamma, mean, invstd []T, relu bool, dx, dgamma, dbeta, dresidual []T, rows, c int) {
	sums := make([]float64, 2*c)
	BatchNormSums(dy, x, y, mean, relu, sums, rows, c)
	for j := range c {
		dbeta[j], dgamma[j] = T(sums[j]), T(sums[c+j]*float64(invstd[j]))
	}
	BatchNormBack(dy, x, y, gamma, mean, invstd, relu, sums, dx, dresidual, rows, rows, c)
}
