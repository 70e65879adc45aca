//! The two conversations after a parting: each as it was before the merge, with what was said in it since on top, reckoned
//! from its own messages and calls.

use chrono::{DateTime, Utc};

use super::moved::{self, ThreadRow, Threads};
use crate::{
    domain::messaging::conversation::said::{self, Said},
    platform::{
        db::Tx,
        error::Result,
        id::{CustomerId, OrgId},
    },
};

/// Gives each their conversation back. The rows of what was said must have been parted before.
pub(super) async fn threads(
    tx: &mut Tx,
    org: OrgId,
    [kept, gone]: [CustomerId; 2],
    before: &Threads,
    (merged_at, now): (DateTime<Utc>, DateTime<Utc>),
) -> Result<()> {
    let stands = moved::thread(&mut *tx, org, kept).await?;
    let of_kept = said::since(&mut *tx, org, kept, (merged_at, now)).await?;
    let of_gone = said::since(&mut *tx, org, gone, (merged_at, now)).await?;
    let [kept_row, gone_row] = part(before, stands.as_ref(), [&of_kept, &of_gone]);
    moved::write_thread(&mut *tx, org, kept, kept_row.as_ref()).await?;
    moved::write_thread(tx, org, gone, gone_row.as_ref()).await
}

/// What each of the two rows says, where the one of both says `stands` now.
fn part(before: &Threads, stands: Option<&ThreadRow>, said: [&[Said]; 2]) -> [Option<ThreadRow>; 2] {
    let mut all: Vec<Said> = said.concat();
    all.sort_by_key(|said| said.at);
    let both = followed(before.both.clone(), &all);
    let [mut kept, mut gone] = [followed(before.kept.clone(), said[0]), followed(before.gone.clone(), said[1])];
    let (Some(stands), Some(both)) = (stands, both) else {
        // Nothing was ever said: who opened the thread since opened it of the one that stayed.
        return [kept.or_else(|| stands.cloned()), gone];
    };
    let waiting = |row: Option<&ThreadRow>| row.map_or(0, |row| row.unread);
    if stands.unread < waiting(kept.as_ref()) + waiting(gone.as_ref()) {
        // Who looked at the one looked at both.
        for (row, count) in [&mut kept, &mut gone].into_iter().zip(unread(said, stands.unread)) {
            *row = row.take().map(|row| ThreadRow { unread: count, ..row });
        }
    }
    // What somebody set since they set for the one that they saw.
    if let Some(row) = &mut kept {
        if stands.assigned_account_id != both.assigned_account_id {
            row.assigned_account_id = stands.assigned_account_id;
        }
        if stands.snoozed_until != both.snoozed_until {
            row.snoozed_until = stands.snoozed_until;
        }
        if stands.is_closed != both.is_closed {
            row.is_closed = stands.is_closed;
        }
    }
    [kept, gone]
}

/// A row after all this was said: what [`crate::domain::messaging::conversation::note`] makes of it, one by one.
fn followed(row: Option<ThreadRow>, said: &[Said]) -> Option<ThreadRow> {
    said.iter().fold(row, |row, said| Some(noted(row, said)))
}

fn noted(row: Option<ThreadRow>, said: &Said) -> ThreadRow {
    let (from_them, by_us) = (said.moved.is_from_them(), said.moved.is_by_us());
    let is_open = row.is_none() || from_them;
    let was = row.unwrap_or_else(|| ThreadRow::empty(said.at));
    ThreadRow {
        lead_id: said.lead.or(was.lead_id),
        last_at: said.at,
        last_preview: said.preview.clone(),
        last_kind: said.moved.kind().to_owned(),
        last_in_at: if from_them { Some(said.at) } else { was.last_in_at },
        last_by_person_at: if by_us { Some(said.at) } else { was.last_by_person_at },
        unread: if by_us { 0 } else { was.unread + i64::from(said.moved.is_unread()) },
        assigned_account_id: was.assigned_account_id,
        snoozed_until: was.snoozed_until.filter(|_| !is_open),
        is_closed: was.is_closed && !is_open,
        settled_at: was.settled_at,
    }
}

/// Of so many that nobody has read, the newest: how many are each one's.
fn unread(said: [&[Said]; 2], left: i64) -> [i64; 2] {
    let mut waiting: Vec<(DateTime<Utc>, usize)> = Vec::new();
    for (whose, said) in said.into_iter().enumerate() {
        waiting.extend(said.iter().filter(|said| said.moved.is_unread()).map(|said| (said.at, whose)));
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
    use crate::domain::messaging::conversation::Moved;

    fn at(minute: i64) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH + Duration::minutes(minute)
    }

    fn row(minute: i64, words: &str, unread: i64) -> ThreadRow {
        let said = Said { at: at(minute), moved: Moved::In, lead: None, preview: words.to_owned() };
        ThreadRow { unread, ..noted(None, &said) }
    }

    fn said(minute: i64, moved: Moved, words: &str) -> Said {
        Said { at: at(minute), moved, lead: None, preview: words.to_owned() }
    }

    fn before() -> Threads {
        let (kept, gone) = (row(1, "Ann", 1), row(2, "Bob", 1));
        Threads { both: Some(ThreadRow { unread: 2, ..gone.clone() }), kept: Some(kept), gone: Some(gone) }
    }

    fn shown(rows: &[Option<ThreadRow>; 2]) -> [(&str, i64); 2] {
        rows.each_ref().map(|row| row.as_ref().map_or(("", 0), |row| (row.last_preview.as_str(), row.unread)))
    }

    #[test]
    fn each_line_says_what_was_said_last_in_its_own_conversation() {
        let before = before();
        let stands = before.both.clone();
        assert_eq!(part(&before, stands.as_ref(), [&[], &[]]), [before.kept.clone(), before.gone.clone()]);
        let of_gone = [said(5, Moved::In, "Bob again")];
        let stands = followed(before.both.clone(), &of_gone);
        let parted = part(&before, stands.as_ref(), [&[], &of_gone]);
        assert_eq!(shown(&parted), [("Ann", 1), ("Bob again", 2)]);
        assert_eq!(parted[0], before.kept, "as if nothing had been");
    }

    #[test]
    fn what_was_read_together_is_read_in_both() {
        let before = before();
        let (of_kept, of_gone) = ([said(5, Moved::In, "Ann again")], [said(8, Moved::MissedCall, "Missed call")]);
        let all = [of_kept[0].clone(), of_gone[0].clone()];
        let read = |unread| followed(before.both.clone(), &all).map(|row| ThreadRow { unread, ..row });
        for (left, wanted) in [(0, [0, 0]), (1, [0, 1]), (2, [1, 1]), (4, [2, 2])] {
            let parted = part(&before, read(left).as_ref(), [&of_kept, &of_gone]);
            assert_eq!(shown(&parted).map(|(_, unread)| unread), wanted, "{left}");
        }
    }

    #[test]
    fn an_answer_counts_for_whom_it_was_given() {
        let before = before();
        let of_kept = [said(5, Moved::ByPerson, "We come at four")];
        let stands = followed(before.both.clone(), &of_kept);
        let parted = part(&before, stands.as_ref(), [&of_kept, &[]]);
        assert_eq!(shown(&parted), [("We come at four", 0), ("Bob", 0)], "whoever answered had read both");
        assert_eq!(parted[1].as_ref().and_then(|row| row.last_by_person_at), None, "and Bob waits still");
    }

    #[test]
    fn who_had_no_conversation_has_one_when_something_was_said_since() {
        let before = Threads { kept: None, gone: None, both: None };
        let of_gone = [said(5, Moved::In, "Hello")];
        let stands = followed(None, &of_gone);
        assert_eq!(shown(&part(&before, stands.as_ref(), [&[], &of_gone])), [("", 0), ("Hello", 1)]);
        let closed = ThreadRow { is_closed: true, ..ThreadRow::empty(at(3)) };
        assert_eq!(part(&before, Some(&closed), [&[], &[]]), [Some(closed), None], "opened by a person since");
    }

    #[test]
    fn what_somebody_set_since_stays_with_the_one_that_stayed() {
        let before = before();
        let closed = before.both.clone().map(|row| ThreadRow { is_closed: true, ..row });
        let parted = part(&before, closed.as_ref(), [&[], &[]]);
        assert_eq!(parted.map(|row| row.is_some_and(|row| row.is_closed)), [true, false]);
    }
}
