//! Offline retention: how long a disconnected phone shows stored data.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::set_if_given;
use crate::platform::error::FieldErrors;

/// Choices in hours. 0: only while the app is open and visible.
const OFFLINE: [i64; 7] = [0, 1, 4, 8, 12, 24, 72];

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DeviceSettings {
    /// Hours since a device last reached the server after which it shows nothing without a connection: 0, 1, 4, 8, 12, 24
    /// or 72. With 0 it keeps no key, and closes five minutes after it went out of sight.
    pub offline_hours: i64,
}

impl Default for DeviceSettings {
    fn default() -> Self {
        // A crew's working day after a connection in the morning.
        Self { offline_hours: 12 }
    }
}

#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DevicesPatch {
    /// 0, 1, 4, 8, 12, 24 or 72.
    pub offline_hours: Option<i64>,
}

impl DevicesPatch {
    pub(super) fn apply_to(&self, page: &mut DeviceSettings, errors: &mut FieldErrors) {
        set_if_given(&mut page.offline_hours, self.offline_hours.as_ref());
        if !OFFLINE.contains(&page.offline_hours) {
            errors.add("devices.offlineHours", "Choose 0, 1, 4, 8, 12, 24 or 72 hours");
        }
    }
}
