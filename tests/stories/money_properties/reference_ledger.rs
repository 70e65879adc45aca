//! The reference ledger: every cent is in one account, and transfers are explicit.

use chrono::NaiveDate;
use proptest::sample::Index;

/// A statement about the whole balance.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum LedgerOperation {
    Nothing,
    Paid,
    NotPaid,
}

#[derive(Debug)]
struct Bill {
    total: i64,
    due: NaiveDate,
    is_final: bool,
    is_void: bool,
    /// The total of change orders when it was issued.
    changes: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Payment,
    Refund,
    WriteOff,
}

#[derive(Debug)]
struct Entry {
    /// The story's number of the entry; a write-off has that of its payment.
    name: usize,
    kind: Kind,
    cents: i64,
    of: Option<usize>,
    is_undone: bool,
    made_paid: bool,
}

/// Cents of one entry at one place.
#[derive(Clone, Debug)]
struct Heap {
    entry: usize,
    /// The invoice; none when not on an invoice.
    at: Option<usize>,
    cents: i64,
    /// The refund that took them.
    gone_by: Option<usize>,
}

#[derive(Debug, Default)]
pub struct ReferenceLedger {
    /// Total of each, and whether it was approved.
    pub estimates: Vec<(i64, bool)>,
    /// The same of change orders.
    pub changes: Vec<(i64, bool)>,
    worth: i64,
    bills: Vec<Bill>,
    entries: Vec<Entry>,
    heaps: Vec<Heap>,
    pub is_paid: bool,
}

impl ReferenceLedger {
    pub fn of_job(worth: i64) -> Self {
        Self { worth, ..Self::default() }
    }

    pub fn invoice(&mut self, total: i64, due: NaiveDate, is_final: bool) {
        let changes = self.changed();
        self.bills.push(Bill { total, due, is_final, is_void: false, changes });
    }

    pub fn void(&mut self, at: usize) {
        self.bills[at].is_void = true;
        for heap in self.heaps.iter_mut().filter(|heap| heap.at == Some(at)) {
            heap.at = None;
        }
    }

    pub fn is_void(&self, at: usize) -> bool {
        self.bills[at].is_void
    }

    pub fn paid(&self, at: usize) -> i64 {
        self.heaps.iter().filter(|heap| heap.at == Some(at) && heap.gone_by.is_none()).map(|heap| heap.cents).sum()
    }

    fn sum(&self, kind: Kind) -> i64 {
        self.entries.iter().filter(|e| e.kind == kind && !e.is_undone).map(|e| e.cents).sum()
    }

    fn received(&self) -> i64 {
        self.sum(Kind::Payment) - self.sum(Kind::Refund)
    }

    /// The total of approved change orders.
    pub fn changed(&self) -> i64 {
        self.changes.iter().filter(|(_, yes)| *yes).map(|(cents, _)| cents).sum()
    }

    pub fn agreed(&self) -> i64 {
        let approved: Vec<i64> = self.estimates.iter().filter(|(_, yes)| *yes).map(|(cents, _)| *cents).collect();
        let is_changed = self.changes.iter().any(|(_, yes)| *yes);
        let base = match (approved.is_empty(), self.estimates.last()) {
            (false, _) => approved.iter().sum(),
            (true, Some((cents, _))) => *cents,
            (true, None) => {
                if is_changed {
                    self.worth
                } else {
                    0
                }
            }
        };
        base + self.changed()
    }

    /// After the last invoice, only later change orders add to what was billed.
    fn due(&self) -> i64 {
        let bills: Vec<&Bill> = self.bills.iter().filter(|bill| !bill.is_void).collect();
        let sum = |bills: &[&Bill]| bills.iter().map(|bill| bill.total).sum::<i64>();
        let wanted = match bills.iter().rposition(|bill| bill.is_final) {
            Some(last) => sum(&bills[..=last]) + self.changed() - bills[last].changes,
            None => self.agreed(),
        };
        wanted.max(sum(&bills))
    }

    fn rest(&self) -> i64 {
        self.due() - self.received() - self.sum(Kind::WriteOff)
    }

    /// Due, received, written off, owed, credit.
    pub fn sums(&self) -> (i64, i64, i64, i64, i64) {
        let rest = self.rest();
        (self.due(), self.received(), self.sum(Kind::WriteOff), rest.max(0), (-rest).max(0))
    }

    pub fn collected(&self) -> Option<i64> {
        let was_paid = self.entries.iter().any(|e| e.kind == Kind::Payment && !e.is_undone);
        was_paid.then(|| self.received())
    }

    fn enter(&mut self, name: usize, kind: Kind, cents: i64, of: Option<usize>) -> usize {
        self.entries.push(Entry { name, kind, cents, of, is_undone: false, made_paid: false });
        self.entries.len() - 1
    }

    pub fn pay(&mut self, name: usize, cents: i64, partial: bool, invoice: Option<usize>) {
        let given_up = (self.rest().max(0) - cents).max(0);
        let entry = self.enter(name, Kind::Payment, cents, None);
        self.heaps.push(Heap { entry, at: None, cents, gone_by: None });
        if let Some(at) = invoice {
            self.put(entry, at);
        }
        if !partial && given_up > 0 {
            let entry = self.enter(name, Kind::WriteOff, given_up, None);
            self.heaps.push(Heap { entry, at: None, cents: given_up, gone_by: None });
        }
        let was_paid = self.is_paid;
        self.settle(if partial { LedgerOperation::Nothing } else { LedgerOperation::Paid });
        self.entries[entry].made_paid = !was_paid && self.is_paid;
    }

    fn entry(&self, name: usize) -> usize {
        self.entries.iter().position(|e| e.name == name).unwrap()
    }

    /// A payment in force, and the story's number of it.
    pub fn some_payment(&self, which: Index) -> Option<(usize, usize)> {
        let all = self.entries.iter().enumerate().filter(|(_, e)| e.kind == Kind::Payment && !e.is_undone);
        let all: Vec<(usize, usize)> = all.map(|(at, e)| (at, e.name)).collect();
        (!all.is_empty()).then(|| *which.get(&all))
    }

    pub fn refundable(&self, name: usize) -> i64 {
        let entry = self.entry(name);
        let back = self.entries.iter().filter(|e| e.of == Some(entry) && !e.is_undone).map(|e| e.cents);
        self.entries[entry].cents - back.sum::<i64>()
    }

    /// Cents without an invoice go first, then those on the invoice that is due last.
    pub fn refund(&mut self, name: usize, of: usize, cents: i64, forgive: bool) {
        let of = self.entry(of);
        let (_, _, _, _, credit) = self.sums();
        let forgiven = if forgive && self.due() > 0 { (cents - credit).max(0) } else { 0 };
        let refund = self.enter(name, Kind::Refund, cents, Some(of));
        let places = std::iter::once(None).chain(self.in_order().into_iter().rev().map(Some));
        let mut missing = cents;
        for place in places {
            missing -= self.move_some(of, place, missing, |heap| heap.gone_by = Some(refund));
        }
        assert_eq!(missing, 0);
        if forgiven > 0 {
            let entry = self.enter(name, Kind::WriteOff, forgiven, None);
            self.heaps.push(Heap { entry, at: None, cents: forgiven, gone_by: None });
        }
        self.settle(LedgerOperation::Nothing);
    }

    pub fn is_there(&self, name: usize) -> bool {
        let entry = self.entry(name);
        !self.entries[entry].is_undone && !self.entries.iter().any(|e| e.of == Some(entry) && !e.is_undone)
    }

    pub fn undo(&mut self, name: usize) {
        let gone: Vec<usize> = (0..self.entries.len()).filter(|at| self.entries[*at].name == name).collect();
        let made_paid = self.entries[gone[0]].made_paid;
        for at in &gone {
            self.entries[*at].is_undone = true;
        }
        self.heaps.retain(|heap| !gone.contains(&heap.entry));
        for heap in self.heaps.iter_mut().filter(|heap| heap.gone_by.is_some_and(|by| gone.contains(&by))) {
            heap.gone_by = None;
        }
        self.settle(if made_paid { LedgerOperation::NotPaid } else { LedgerOperation::Nothing });
    }

    /// The invoices that are not void, earliest due date first.
    fn in_order(&self) -> Vec<usize> {
        let mut bills: Vec<usize> = (0..self.bills.len()).filter(|at| !self.bills[*at].is_void).collect();
        bills.sort_by_key(|at| (self.bills[*at].due, *at));
        bills
    }

    /// Moves at most this many cents of an entry that lie at a place.
    fn move_some(&mut self, entry: usize, at: Option<usize>, most: i64, mut to: impl FnMut(&mut Heap)) -> i64 {
        let mut left = most;
        for n in 0..self.heaps.len() {
            let heap = &mut self.heaps[n];
            if heap.entry != entry || heap.at != at || heap.gone_by.is_some() || left == 0 {
                continue;
            }
            let cents = heap.cents.min(left);
            heap.cents -= cents;
            left -= cents;
            let mut moved = Heap { cents, ..heap.clone() };
            to(&mut moved);
            self.heaps.push(moved);
        }
        self.heaps.retain(|heap| heap.cents > 0);
        most - left
    }

    fn put(&mut self, entry: usize, at: usize) {
        let room = self.bills[at].total - self.paid(at);
        self.move_some(entry, None, room, |heap| heap.at = Some(at));
    }

    /// Entries of payments before write-offs, each in order of arrival.
    fn sources(&self) -> Vec<usize> {
        let of = |kind| (0..self.entries.len()).filter(move |at| self.entries[*at].kind == kind);
        of(Kind::Payment).chain(of(Kind::WriteOff)).collect()
    }

    pub fn settle(&mut self, outcome: LedgerOperation) {
        for at in self.in_order() {
            for entry in self.sources().into_iter().rev() {
                let over = (self.paid(at) - self.bills[at].total).max(0);
                self.move_some(entry, Some(at), over, |heap| heap.at = None);
            }
        }
        for at in self.in_order() {
            for entry in self.sources() {
                self.put(entry, at);
            }
        }
        let (due, received, _, owed, _) = self.sums();
        let settled = due > 0 && owed == 0;
        self.is_paid = match outcome {
            LedgerOperation::Paid => owed == 0,
            LedgerOperation::NotPaid => settled,
            LedgerOperation::Nothing => settled || (self.is_paid && due == 0 && received > 0),
        };
    }
}
