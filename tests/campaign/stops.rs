//! A worker that is told to stop, that starts into a crowd, and that is stalled past its lease.
