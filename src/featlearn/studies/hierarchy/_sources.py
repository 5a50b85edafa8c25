"""What the documents of this system are called."""

SLIDES = "Towards understanding the hierarchical learning in multi-layer neural networks"
PAPER = "Backward feature correction: how deep learning performs deep (hierarchical) learning"
