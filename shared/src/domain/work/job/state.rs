//! Status and priority of a job, with their labels.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::platform::text_enum::display_serialized;

/// State of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
pub enum JobState {
    #[serde(alias = "Scheduled")]
    Scheduled,
    #[serde(alias = "In Progress")]
    InProgress,
    #[serde(alias = "Completed")]
    Completed,
    #[serde(alias = "Cancelled")]
    Cancelled,
}

impl JobState {
    pub const ALL: [Self; 4] = [Self::Scheduled, Self::InProgress, Self::Completed, Self::Cancelled];

    /// Start, stop, complete (also without a start), reopen, cancel and restore; nothing else.
    #[must_use]
    pub fn can_transition_to(self, to: Self) -> bool {
        match self {
            Self::Scheduled => matches!(to, Self::InProgress | Self::Completed | Self::Cancelled),
            Self::InProgress => matches!(to, Self::Completed | Self::Cancelled | Self::Scheduled),
            Self::Completed => to == Self::InProgress,
            Self::Cancelled => to == Self::Scheduled,
        }
    }

    #[must_use]
    pub fn is_unfinished(self) -> bool {
        matches!(self, Self::Scheduled | Self::InProgress)
    }

    #[must_use]
    pub fn to_display(self) -> DisplayedJobStatus {
        match self {
            Self::Scheduled => DisplayedJobStatus::Scheduled,
            Self::InProgress => DisplayedJobStatus::InProgress,
            Self::Completed => DisplayedJobStatus::Completed,
            Self::Cancelled => DisplayedJobStatus::Cancelled,
        }
    }
}

/// A status as people read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = JobStatus)]
pub enum DisplayedJobStatus {
    Scheduled,
    #[serde(rename = "In Progress")]
    InProgress,
    Completed,
    Cancelled,
}

display_serialized!(DisplayedJobStatus);

/// How much a job presses. The board has three words for it and the job's own page three others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[sqlx(type_name = "TEXT", rename_all = "snake_case")]
#[serde(rename_all = "snake_case")]
#[schema(as = PriorityLevel)]
pub enum JobPriority {
    Low,
    #[default]
    Standard,
    Urgent,
    Rush,
}

impl JobPriority {
    pub const ALL: [Self; 4] = [Self::Low, Self::Standard, Self::Urgent, Self::Rush];

    #[must_use]
    pub fn to_board_priority(self) -> BoardPriority {
        match self {
            Self::Low | Self::Standard => BoardPriority::Standard,
            Self::Urgent => BoardPriority::Urgent,
            Self::Rush => BoardPriority::Rush,
        }
    }

    #[must_use]
    pub fn to_page_priority(self) -> PagePriority {
        match self {
            Self::Low => PagePriority::Low,
            Self::Standard => PagePriority::Normal,
            Self::Urgent | Self::Rush => PagePriority::High,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum BoardPriority {
    Standard,
    Urgent,
    Rush,
}

display_serialized!(BoardPriority);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub enum PagePriority {
    High,
    Normal,
    Low,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn job_status_transitions_match_table() {
        use JobState::{Cancelled, Completed, InProgress, Scheduled};
        let ways = [
            (Scheduled, InProgress),
            (Scheduled, Completed),
            (Scheduled, Cancelled),
            (InProgress, Completed),
            (InProgress, Cancelled),
            (InProgress, Scheduled),
            (Completed, InProgress),
            (Cancelled, Scheduled),
        ];
        for from in JobState::ALL {
            for to in JobState::ALL {
                assert_eq!(from.can_transition_to(to), ways.contains(&(from, to)), "{from:?} to {to:?}");
            }
        }
    }

    #[test]
    fn four_priority_levels_map_to_three_board_and_three_page_labels() {
        let board = JobPriority::ALL.map(|level| level.to_board_priority().to_string());
        assert_eq!(board, ["Standard", "Standard", "Urgent", "Rush"]);
        let page = JobPriority::ALL.map(JobPriority::to_page_priority);
        assert_eq!(page, [PagePriority::Low, PagePriority::Normal, PagePriority::High, PagePriority::High]);
    }

    #[test]
    fn job_status_reads_back_from_its_shown_name() {
        for status in JobState::ALL {
            let shown = serde_json::to_value(status.to_display()).unwrap();
            assert_eq!(shown, status.to_display().to_string());
            assert_eq!(serde_json::from_value::<JobState>(shown).unwrap(), status);
        }
    }
}
