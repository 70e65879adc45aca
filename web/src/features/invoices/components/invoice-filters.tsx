// Which invoices are listed: by how they stand, by words.
import { INVOICE_FILTERS, INVOICE_STATUSES } from '@/domain/invoice'
import { ChipChoice } from '@/ui/chip-choice'
import { SearchBox } from '@/ui/search-box'
import type { FilterBox } from '../lib/use-invoice-filters'

const CHIPS = [
  { value: '', label: 'All' },
  ...INVOICE_FILTERS.map((value) => ({
    value,
    label: value === 'unpaid' ? 'Open or overdue' : INVOICE_STATUSES[value].label,
  })),
] as const

export function InvoiceFilters({ box: { filters, text, change } }: { box: FilterBox }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox
        label="Search invoices by customer or number"
        placeholder="Customer or number"
        value={text}
        onChange={(q) => change({ q })}
      />
      <ChipChoice legend="Status" chips={CHIPS} value={filters.status} onChange={(status) => change({ status })} />
    </div>
  )
}
