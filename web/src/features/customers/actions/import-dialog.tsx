import { Badge } from '@/ui/badge'
import { CsvImport, ImportErrors } from '@/ui/csv-import'
import { Table } from '@/ui/table'
import { customerImportMessages as texts } from '../messages'
import { useImportCustomers, usePreviewCustomerImport } from '../import-mutations'
import type { CustomerImport, CustomerImportRow } from '../types'

export function ImportCustomersDialog({ onClose }: { onClose: () => void }) {
  return (
    <CsvImport
      title="Import customers"
      fileLabel="Customers file"
      texts={texts}
      trial={usePreviewCustomerImport()}
      take={useImportCustomers()}
      changesIn={({ added, updated }) => added + updated}
      takeLabel={(count) => `Import ${count === 1 ? '1 customer' : `${count} customers`}`}
      findings={ImportFindings}
      onClose={onClose}
    >
      <p>
        A CSV file, as Jobber, Housecall Pro, ServiceTitan, QuickBooks or a spreadsheet saves it. Its first row names
        the columns: a <b>name</b>, and a <b>phone</b> or an <b>email</b>; if you have them, address, city, state, zip,
        notes and source. A row with a <b>service</b> becomes a request too.
      </p>
      <p className="text-note text-muted">
        Customers who are here already are not changed. If only a form gave a customer’s phone or email, your list
        confirms it; another phone or email from that form waits for your OK. No one gets a message. You can remove the
        new customers within 24 hours.
      </p>
    </CsvImport>
  )
}

function ImportFindings({ found }: { found: CustomerImport }) {
  const { added, leads, updated, same, failed, errors, rows, ignored } = found
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">
          {added} new
        </Badge>
        {leads > 0 && (
          <Badge tone="info" icon="briefcase">
            {leads} with a request
          </Badge>
        )}
        {updated > 0 && (
          <Badge tone="info" icon="check">
            {updated} confirmed
          </Badge>
        )}
        <Badge tone="neutral" icon="check">
          {same} here already
        </Badge>
        {failed > 0 && (
          <Badge tone="warning" icon="alert">
            {failed} left out
          </Badge>
        )}
      </p>
      {added + updated === 0 && failed === 0 && <p className="text-muted">All of these are here already.</p>}
      <ImportErrors ignored={ignored} failed={failed} errors={errors} fileName="rows-left-out.csv" />
      {rows.length > 0 && <ImportRows rows={rows} />}
    </>
  )
}

const COLUMNS = [
  { key: 'row', label: 'Row', numeric: true },
  { key: 'name', label: 'Name' },
  { key: 'ways', label: 'Phone, email' },
  { key: 'place', label: 'Address' },
  { key: 'outcome', label: 'Change' },
] as const

const OUTCOMES = { added: 'New', updated: 'Confirmed', same: 'Here already' } as const satisfies Record<
  CustomerImportRow['outcome'],
  string
>

function ImportRows({ rows }: { rows: readonly CustomerImportRow[] }) {
  return (
    <Table
      hasNoLinks
      caption="The first rows as they were read"
      columns={COLUMNS}
      className="max-h-72 overflow-y-auto rounded-field border border-primary/22"
    >
      {rows.map(({ row, outcome, name, phoneShown, email, address, zip, service }) => (
        <tr key={row} className="border-primary/15 align-top">
          <td className="text-right text-muted">{row}</td>
          <td className="min-w-32 wrap-anywhere">
            {name}
            {service && <span className="block text-caption text-muted">{service}</span>}
          </td>
          <td className="min-w-36 wrap-anywhere">
            {phoneShown}
            {email && <span className="block text-caption text-muted">{email}</span>}
          </td>
          <td className="min-w-36 wrap-anywhere">{[address, zip].filter(Boolean).join(' ')}</td>
          <td className="whitespace-nowrap">{OUTCOMES[outcome]}</td>
        </tr>
      ))}
    </Table>
  )
}
