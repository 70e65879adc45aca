//! Id of the request that the current work belongs to. A task carries it from the API through the queue to the worker,
//! and to the tasks that it queues itself.

use std::fmt;

use uuid::Uuid;

/// Assigned by the API, never by a client. Says nothing about the caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, sqlx::Type)]
#[sqlx(transparent)]
pub struct RequestId(pub Uuid);

impl fmt::Display for RequestId {
    /// Without hyphens, as in `X-Request-Id` and in the ids of traces.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.simple(), f)
    }
}

tokio::task_local! {
    static CURRENT_REQUEST: RequestId;
}

pub async fn with_request<T>(id: RequestId, work: impl Future<Output = T>) -> T {
    CURRENT_REQUEST.scope(id, work).await
}

/// None outside of a request and of the tasks that it queued.
#[must_use]
pub fn current_request() -> Option<RequestId> {
    CURRENT_REQUEST.try_with(|id| *id).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn request_is_known_within_its_work_only() {
        let id = RequestId(Uuid::from_u128(7));
        assert_eq!(with_request(id, async { current_request() }).await, Some(id));
        assert_eq!(current_request(), None);
        assert_eq!(id.to_string(), format!("{:032}", 7));
    }
}
