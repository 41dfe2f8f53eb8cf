"""What the server is to Streamlit: its routes, its protection, and the files that pages ask for."""
