//go:build !linux

package kernel

import "os"

func guardedPages(pages int) []byte { return make([]byte, (pages+2)*os.Getpagesize()) }
