package kernel

// The gradients of batch normalisation follow from dy, the gradient of y, and from the inputs
// and results of the forward pass:
//
//	dz = dy·[y > 0] with relu, else dy
//	dbeta = Σ dz,  dgamma = Σ dz·x̂,  x̂ = (x − mean)·invstd
//	dx = gamma·invstd·(dz − dbeta/rows − x̂·dgamma/rows)
//
// y is read only with relu and may be nil without. dresidual, if not nil, receives dz, the
// gradient of the residual. All results are overwritten. dx or dresidual may be dy, but dx
// and dresidual must differ.

// BatchNormSums writes Σ dz of every channel and behind them, from entry c on,
// Σ dz·(x − mean).
func BatchNormSums[T Float](dy, x, y, mean []T, relu bool, sums []float64, rows, c int) {
	const op = "BatchNormSums"
	need(op, "dy", len(dy), rows*c)
	need(op, "x", len(x), rows*c)
	y = masking(op, y, relu, rows*c)
	need(op, "mean", len(mean), c)
	need(op, "sums", len(sums), 2*c)
	if rows == 0 || c == 0 {
		return
	}
	blocks, blockRows := bnBlocks(rows, c)
	ws := getWorkspace[T](2 * blocks * c)
	defer putWorkspace(ws)
	part := ws.buf
	Parallel(blocks, grainFor(workElems, blockRows*c), func(lo, hi int) {
		for b := lo; b < hi; b++ {
			i, j := b*blockRows*c, min((b+1)*blockRows, rows)*c
			bnReduce(dy[i:j], x[i:j], cut(y, i, j), mean, part[2*b*c:][:c], part[(2*b+1)*c:][:c], c)
		}
	})
	eachMerge(blocks, c, func(lo, hi int) {
		var sz, sx [mergeAt]float64
		for b := range blocks {
			pz, px := part[2*b*c:][lo:hi], part[(2*b+1)*c:][lo:hi]
			for j := range pz {
				sz[j] += float64(pz[j])
				sx[j] += float64(px[j])
			}
		}
		copy(sums[lo:hi], sz[:])
		copy(sums[c+lo:c+hi], sx[:])
	})
}

// BatchNormBack computes dx and dresidual, given the sums over all n rows that mean and invstd
// belong to.
func BatchNormBack[T Float](dy, x, y, gamma, mean, invstd []T, relu bool, sums []float64, dx, dresidual []T, n, rows, c int) {
	const op = "BatchNormBack"
	need(op, "dy", len(dy), rows*c)
	need(op, "x", len(x), rows*c)
	need(op, "dx", len(dx), rows*c)
	y = masking(op, y, relu, rows*c)
	needOptional(op, "dresidual", dresidual, rows*c)
	need(op, "gamma", len(gamma), c)
	need(op, "mean", len(mean), c)
	need(op, "invstd", len(invstd), c)
	need(op, "sums", len(sums), 2*c)
	if rows == 0 || c == 0 {
		return
	}
	ws := getWorkspace[T](3 * c)
	defer putWorkspace(ws)
	kz, kx, k0 := ws.buf[:c], ws.buf[c:][:c], ws.buf[2*c:][:c]
	for j := range c {
		sz, sx, is := sums[j], sums[c+j], float64(invstd[j])
		scale := float64(gamma[j]) * is
		kz[j], kx[j], k0[j] = T(scale), T(-scale*is*is*sx/float64(n)), T(-scale*sz/float64(n))
	}
	eachBlock(rows, c, func(lo, hi int) {
		bnBack(dy[lo:hi], x[lo:hi], cut(y, lo, hi), mean, kz, kx, k0, dx[lo:hi], cut(dresidual, lo, hi), c)
	})
}

// masking returns the y that masks dy, nil for none.
func masking[T Float](op string, y []T, relu bool, n int) []T {
	if !relu {
		return nil
	}
	need(op, "y", len(y), n)
	return y
}

// bnReduce overwrites sz and sx with the column sums of dz and dz·(x − mean).
func bnReduce[T Float](dy, x, y, mean, sz, sx []T, c int) {
	if w := wideOf[T](len(dy), c); w > 0 {
		n := len(dy) / w * w
		ws := repeated(3, w, mean)
		defer putWorkspace(ws)
		z, x1 := ws.buf[w:2*w], ws.buf[2*w:]
		bnReduce(dy[n:], x[n:], cut(y, n, len(dy)), mean, sz, sx, c)
		bnReduce(dy[:n], x[:n], cut(y, 0, n), ws.buf[:w], z, x1, w)
		fold(z, sz)
		fold(x1, sx)
		return
	}
	done := 0
	if vectors[T]() && len(dy) >= c {
		bnReduceVec(len(dy)/c, c, at32(dy), at32(x), at32(y), at32(mean), at32(sz), at32(sx))
		done = c &^ 7
	}
	clear(sz[done:])
	clear(sx[done:])
	mean = mean[done:c]
	sz, sx = sz[done:][:len(mean)], sx[done:][:len(mean)]
	for i := done; len(mean) > 0 && i < len(dy); i += c {
		xr, dr := x[i:][:len(mean)], dy[i:][:len(mean)]
		if y == nil {
			for j, m := range mean {
				sz[j] += dr[j]
				sx[j] += dr[j] * (xr[j] - m)
			}
			continue
		}
		yr := y[i:][:len(mean)]
		for j, m := range mean {
			d := where(yr[j] > 0, dr[j])
			sz[j] += d
			sx[j] += d * (xr[j] - m)
		}
	}
}

// bnBack computes dx = kz·dz + kx·(x − mean) + k0 and stores dz in dres.
func bnBack[T Float](dy, x, y, mean, kz, kx, k0, dx, dres []T, c int) {
	if w := wideOf[T](len(dy), c); w > 0 {
		n := len(dy) / w * w
		ws := repeated(4, w, mean, kz, kx, k0)
		defer putWorkspace(ws)
		b := ws.buf
		bnBack(dy[:n], x[:n], cut(y, 0, n), b[:w], b[w:2*w], b[2*w:3*w], b[3*w:], dx[:n], cut(dres, 0, n), w)
		bnBack(dy[n:], x[n:], cut(y, n, len(dy)), mean, kz, kx, k0, dx[n:], cut(dres, n, len(dy)), c)
		return
	}
	done := 0
	if vectors[T]() {
		bnBackVec(len(dy)/c, c, at32(dy), at32(x), at32(y), at32(mean), at32(kz), at32(kx), at32(k0), at32(dx), at32(dres))
		done = c &^ 7
	}
	mean = mean[done:c]
	kz, kx, k0 = kz[done:][:len(mean)], kx[done:][:len(mean)], k0[done:][:len(mean)]
	for i := done; len(mean) > 0 && i < len(dy); i += c {
		xr, dr, dxr := x[i:][:len(mean)], dy[i:][:len(mean)], dx[i:][:len(mean)]
		yr, keep := xr, dxr // dx is overwritten and serves as scratch
		if y != nil {
			yr = y[i:][:len(mean)]
		}
		if dres != nil {
			keep = dres[i:][:len(mean)]
		}
		for j, m := range mean {
			d := dr[j]
			if y != nil {
				d = where(yr[j] > 0, d)
			}
			keep[j] = d
			dxr[j] = kz[j]*d + (kx[j]*(xr[j]-m) + k0[j])
		}
	}
}
