* Two machines cannot make 12 pieces in 8 hours. The proof names the rows.
NAME          CONTRADICTION
ROWS
 N  COST
 G  PIECES
 L  HOURS
 L  STORE
COLUMNS
    FIRST     COST        3.0    PIECES      1.0
    FIRST     HOURS       1.0    STORE       1.0
    SECOND    COST        2.0    PIECES      1.0
    SECOND    HOURS       0.9
RHS
    RHS       PIECES     12.0    HOURS       8.0
    RHS       STORE       9.0
ENDATA
