package learning

import "hinge/symbolic/facts"

// A DataError is a fault of the data: missing, damaged or inconsistent.
type DataError = facts.Error
