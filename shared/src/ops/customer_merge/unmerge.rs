//! Conversations after an unmerge: each as before the merge, plus what was said since, recomputed from its own messages
//! and calls.

use chrono::{DateTime, Utc};

use super::moved_records::{self, ConversationRow, MergedConversations};
use crate::{
    domain::messaging::conversation::entries::{self, ConversationEntry},
    platform::{
        db::Tx,
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Restores both conversations. Messages and calls must have been separated before.
pub(super) async fn restore_conversations(
    tx: &mut Tx,
    org: OrgId,
    [kept, gone]: [CustomerId; 2],
    before: &MergedConversations,
    (merged_at, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<()> {
    let current = moved_records::load_conversation_row(&mut *tx, org, kept).await?;
    let of_kept = entries::list_entries_since(&mut *tx, org, kept, (merged_at, now)).await?;
    let of_gone = entries::list_entries_since(&mut *tx, org, gone, (merged_at, now)).await?;
    let [kept_row, gone_row] = split_thread(before, current.as_ref(), [&of_kept, &of_gone]);
    moved_records::replace_conversation_row(&mut *tx, org, kept, kept_row.as_ref()).await?;
    moved_records::replace_conversation_row(tx, org, gone, gone_row.as_ref()).await
}

fn split_thread(
    before: &MergedConversations,
    current: Option<&ConversationRow>,
    entries: [&[ConversationEntry]; 2],
) -> [Option<ConversationRow>; 2] {
    let mut all: Vec<ConversationEntry> = entries.concat();
    all.sort_by_key(|entry| entry.at);
    let both = apply_messages(before.both.clone(), &all);
    let [mut kept, mut gone] =
        [apply_messages(before.kept.clone(), entries[0]), apply_messages(before.gone.clone(), entries[1])];
    let (Some(current), Some(both)) = (current, both) else {
        // No messages: a thread opened since belongs to the kept record.
        return [kept.or_else(|| current.cloned()), gone];
    };
    let waiting = |row: Option<&ConversationRow>| row.map_or(0, |row| row.unread);
    if current.unread < waiting(kept.as_ref()) + waiting(gone.as_ref()) {
        // Reading the merged thread read both.
        for (row, count) in [&mut kept, &mut gone].into_iter().zip(split_unread(entries, current.unread)) {
            *row = row.take().map(|row| ConversationRow { unread: count, ..row });
        }
    }
    // Values set since the merge apply to the kept record.
    if let Some(row) = &mut kept {
        if current.assigned_account_id != both.assigned_account_id {
            row.assigned_account_id = current.assigned_account_id;
        }
        if current.snoozed_until != both.snoozed_until {
            row.snoozed_until = current.snoozed_until;
        }
        if current.is_closed != both.is_closed {
            row.is_closed = current.is_closed;
        }
    }
    [kept, gone]
}

/// A row after these messages: [`crate::domain::messaging::conversation::record_event`] applied one by one.
fn apply_messages(row: Option<ConversationRow>, entries: &[ConversationEntry]) -> Option<ConversationRow> {
    entries.iter().fold(row, |row, entry| Some(apply_message(row, entry)))
}

fn apply_message(row: Option<ConversationRow>, entry: &ConversationEntry) -> ConversationRow {
    let (from_them, by_us) = (entry.moved.is_inbound(), entry.moved.is_from_staff());
    let is_open = row.is_none() || entry.moved.reopens_thread();
    let was = row.unwrap_or_else(|| ConversationRow::new_empty(entry.at));
    ConversationRow {
        lead_id: entry.lead.or(was.lead_id),
        last_at: entry.at,
        last_preview: entry.preview.clone(),
        last_kind: entry.moved.last_kind().to_owned(),
        last_in_at: if from_them { Some(entry.at) } else { was.last_in_at },
        last_by_person_at: if by_us { Some(entry.at) } else { was.last_by_person_at },
        unread: if by_us { 0 } else { was.unread + i64::from(entry.moved.counts_as_unread()) },
        assigned_account_id: was.assigned_account_id,
        snoozed_until: was.snoozed_until.filter(|_| !is_open),
        is_closed: was.is_closed && !is_open,
        settled_at: was.settled_at,
    }
}

/// Splits the newest `left` unread messages between the two conversations.
fn split_unread(entries: [&[ConversationEntry]; 2], left: i64) -> [i64; 2] {
    let mut waiting: Vec<(DateTime<Utc>, usize)> = Vec::new();
    for (whose, entries) in entries.into_iter().enumerate() {
        waiting.extend(entries.iter().filter(|entry| entry.moved.counts_as_unread()).map(|entry| (entry.at, whose)));
    }
    waiting.sort_unstable();
    let mut counts = [0; 2];
    for (_, whose) in waiting.into_iter().rev().take(usize::try_from(left).unwrap_or_default()) {
        counts[whose] += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use chrono::Duration;

    use super::*;
    use crate::domain::messaging::conversation::ConversationEvent;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minute)
    }

    fn row(minute: i64, words: &str, unread: i64) -> ConversationRow {
        let entry =
            ConversationEntry { at: at(minute), moved: ConversationEvent::In, lead: None, preview: words.to_owned() };
        ConversationRow { unread, ..apply_message(None, &entry) }
    }

    fn entry(minute: i64, moved: ConversationEvent, words: &str) -> ConversationEntry {
        ConversationEntry { at: at(minute), moved, lead: None, preview: words.to_owned() }
    }

    fn before() -> MergedConversations {
        let (kept, gone) = (row(1, "Ann", 1), row(2, "Bob", 1));
        MergedConversations {
            both: Some(ConversationRow { unread: 2, ..gone.clone() }),
            kept: Some(kept),
            gone: Some(gone),
        }
    }

    fn shown(rows: &[Option<ConversationRow>; 2]) -> [(&str, i64); 2] {
        rows.each_ref().map(|row| row.as_ref().map_or(("", 0), |row| (row.last_preview.as_str(), row.unread)))
    }

    #[test]
    fn thread_preview_shows_last_message_of_its_own_conversation() {
        let before = before();
        let current = before.both.clone();
        assert_eq!(split_thread(&before, current.as_ref(), [&[], &[]]), [before.kept.clone(), before.gone.clone()]);
        let of_gone = [entry(5, ConversationEvent::In, "Bob again")];
        let current = apply_messages(before.both.clone(), &of_gone);
        let parted = split_thread(&before, current.as_ref(), [&[], &of_gone]);
        assert_eq!(shown(&parted), [("Ann", 1), ("Bob again", 2)]);
        assert_eq!(parted[0], before.kept, "as if nothing had been");
    }

    #[test]
    fn messages_read_while_merged_are_read_in_both_threads() {
        let before = before();
        let (of_kept, of_gone) =
            ([entry(5, ConversationEvent::In, "Ann again")], [entry(8, ConversationEvent::MissedCall, "Missed call")]);
        let all = [of_kept[0].clone(), of_gone[0].clone()];
        let read = |unread| apply_messages(before.both.clone(), &all).map(|row| ConversationRow { unread, ..row });
        for (left, wanted) in [(0, [0, 0]), (1, [0, 1]), (2, [1, 1]), (4, [2, 2])] {
            let parted = split_thread(&before, read(left).as_ref(), [&of_kept, &of_gone]);
            assert_eq!(shown(&parted).map(|(_, unread)| unread), wanted, "{left}");
        }
    }

    #[test]
    fn reply_while_merged_counts_only_for_its_recipient() {
        let before = before();
        let of_kept = [entry(5, ConversationEvent::ByPerson, "We come at four")];
        let current = apply_messages(before.both.clone(), &of_kept);
        let parted = split_thread(&before, current.as_ref(), [&of_kept, &[]]);
        assert_eq!(shown(&parted), [("We come at four", 0), ("Bob", 0)], "the one who answered had read both");
        assert_eq!(parted[1].as_ref().and_then(|row| row.last_by_person_at), None, "and Bob waits still");
    }

    #[test]
    fn customer_without_thread_gets_one_for_messages_since_merge() {
        let before = MergedConversations { kept: None, gone: None, both: None };
        let of_gone = [entry(5, ConversationEvent::In, "Hello")];
        let current = apply_messages(None, &of_gone);
        assert_eq!(shown(&split_thread(&before, current.as_ref(), [&[], &of_gone])), [("", 0), ("Hello", 1)]);
        let closed = ConversationRow { is_closed: true, ..ConversationRow::new_empty(at(3)) };
        assert_eq!(split_thread(&before, Some(&closed), [&[], &[]]), [Some(closed), None], "opened by a person since");
    }

    #[test]
    fn thread_state_set_while_merged_stays_with_kept_customer() {
        let before = before();
        let closed = before.both.clone().map(|row| ConversationRow { is_closed: true, ..row });
        let parted = split_thread(&before, closed.as_ref(), [&[], &[]]);
        assert_eq!(parted.map(|row| row.is_some_and(|row| row.is_closed)), [true, false]);
    }
}
