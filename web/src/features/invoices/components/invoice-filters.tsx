// Which invoices are listed: by how they stand, by words.
import { INVOICE_FILTERS, INVOICE_STATUSES } from '@/domain/invoice'
import { SearchBox } from '@/ui/search-box'
import type { FilterBox } from '../lib/use-invoice-filters'

const CHIP = 'flex min-h-11 cursor-pointer items-center rounded-full border border-primary/30 px-4 text-note font-semibold whitespace-nowrap has-checked:border-primary has-checked:bg-primary/12 has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-primary'

const CHOICES = [{ value: '', label: 'All' }, ...INVOICE_FILTERS.map((value) => ({ value, label: value === 'unpaid' ? 'Open or overdue' : INVOICE_STATUSES[value].label }))] as const

export function InvoiceFilters({ box: { filters, text, change } }: { box: FilterBox }) {
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <SearchBox label="Search invoices by customer or number" placeholder="Customer or number" value={text} onChange={(q) => change({ q })} />
      <fieldset className="min-w-0">
        <legend className="sr-only">Status</legend>
        {/* On a phone the row is longer than the screen, and moves by itself. */}
        <div className="relative -mx-4 flex gap-2 overflow-x-auto px-4 py-0.5 [scrollbar-width:none] sm:mx-0 sm:flex-wrap sm:px-0">
          {CHOICES.map(({ value, label }) => (
            <label key={value} className={CHIP}>
              <input type="radio" name="invoice-status" className="sr-only" checked={filters.status === value} onChange={() => change({ status: value })} />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
    </div>
  )
}
