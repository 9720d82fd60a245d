//go:build drivers

package main

import _ "hinge/symbolic/facts/drivers" // Parquet files and databases in model files
