import { pgettext, plural, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { CsvImport, ImportErrors } from '@/ui/csv-import'
import { Table } from '@/ui/table'
import { customerImportMessages as texts } from '../messages'
import { useImportCustomers, usePreviewCustomerImport } from '../import-mutations'
import type { CustomerImport, CustomerImportRow } from '../types'

export function ImportCustomersDialog({ onClose }: { onClose: () => void }) {
  return (
    <CsvImport
      title={t('Import customers')}
      fileLabel={t('Customers file')}
      texts={texts}
      trial={usePreviewCustomerImport()}
      take={useImportCustomers()}
      changesIn={({ added, updated }) => added + updated}
      takeLabel={(count) => plural(count, 'Import {count} customer', 'Import {count} customers')}
      findings={ImportFindings}
      onClose={onClose}
    >
      <p>
        <BoldColumns
          text={t(
            'A CSV file, as Jobber, Housecall Pro, ServiceTitan, QuickBooks or a spreadsheet saves it. Its first row names the columns: a *name*, and a *phone* or an *email*; if you have them, address, city, state, zip, notes and source. A row with a *service* becomes a request too.',
          )}
        />
      </p>
      <p className="text-note text-muted">
        {t(
          'Customers who are here already are not changed. If only a form gave a customer’s phone or email, your list confirms it; another phone or email from that form waits for your OK. No one gets a message. You can remove the new customers within 24 hours.',
        )}
      </p>
    </CsvImport>
  )
}

/** Bold is what stands between stars. */
const BoldColumns = ({ text }: { text: string }) =>
  text.split('*').map((part, at) => (at % 2 === 1 ? <b key={part}>{part}</b> : part))

function ImportFindings({ found }: { found: CustomerImport }) {
  const { added, leads, updated, same, failed, errors, rows, ignored } = found
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">
          {t('{count} new', { count: added })}
        </Badge>
        {leads > 0 && (
          <Badge tone="info" icon="briefcase">
            {t('{count} with a request', { count: leads })}
          </Badge>
        )}
        {updated > 0 && (
          <Badge tone="info" icon="check">
            {t('{count} confirmed', { count: updated })}
          </Badge>
        )}
        <Badge tone="neutral" icon="check">
          {t('{count} here already', { count: same })}
        </Badge>
        {failed > 0 && (
          <Badge tone="warning" icon="alert">
            {t('{count} left out', { count: failed })}
          </Badge>
        )}
      </p>
      {added + updated === 0 && failed === 0 && <p className="text-muted">{t('All of these are here already.')}</p>}
      <ImportErrors ignored={ignored} failed={failed} errors={errors} fileName="rows-left-out.csv" />
      {rows.length > 0 && <ImportRows rows={rows} />}
    </>
  )
}

const COLUMNS = [
  { key: 'row', label: t('Row'), numeric: true },
  { key: 'name', label: t('Name') },
  { key: 'ways', label: t('Phone, email') },
  { key: 'place', label: t('Address') },
  { key: 'outcome', label: pgettext('column', 'Change') },
] as const

const OUTCOMES = { added: t('New'), updated: t('Confirmed'), same: t('Here already') } as const satisfies Record<
  CustomerImportRow['outcome'],
  string
>

function ImportRows({ rows }: { rows: readonly CustomerImportRow[] }) {
  return (
    <Table
      hasNoLinks
      caption={t('The first rows as they were read')}
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
