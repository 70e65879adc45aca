import { formatCents } from '@/lib/format/money'
import { pgettext, plural, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { CsvImport, ImportErrors } from '@/ui/csv-import'
import { Table } from '@/ui/table'
import { priceBookMessages as texts } from './messages'
import { type PriceImport, type PriceRow, useImportPrices, usePreviewPriceImport } from './mutations'

export function ImportPricesDialog({ onClose }: { onClose: () => void }) {
  return (
    <CsvImport
      title={t('Import a price list')}
      fileLabel={t('Price list file')}
      texts={texts}
      trial={usePreviewPriceImport()}
      take={useImportPrices()}
      changesIn={({ added, changed }) => added + changed}
      takeLabel={(changes) => plural(changes, 'Import {count} item', 'Import {count} items')}
      findings={ImportFindings}
      onClose={onClose}
    >
      <p>
        {t('A CSV file, as Excel and Google Sheets save it. Its first row names the columns:')}{' '}
        <b>{t('Name and Price')}</b>
        {t(', and if you have them Description, Unit, Cost, Tax and Code.')}
      </p>
      <p className="text-note text-muted">
        {t('An item is known by its code, else by its name. What is not in the file stays as it is.')}
      </p>
    </CsvImport>
  )
}

function ImportFindings({ found: { added, changed, same, failed, errors, rows, ignored } }: { found: PriceImport }) {
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">
          {t('{added} new', { added })}
        </Badge>
        <Badge tone="info" icon="pencil">
          {t('{changed} changed', { changed })}
        </Badge>
        <Badge tone="neutral" icon="check">
          {t('{same} as they are', { same })}
        </Badge>
        {failed > 0 && (
          <Badge tone="warning" icon="alert">
            {t('{failed} left out', { failed })}
          </Badge>
        )}
      </p>
      {added + changed === 0 && failed === 0 && (
        <p className="text-muted">{t('The price book says all of this already.')}</p>
      )}
      <ImportErrors ignored={ignored} failed={failed} errors={errors} />
      {rows.length > 0 && <ImportRows rows={rows} />}
    </>
  )
}

const COLUMNS = [
  { key: 'row', label: t('Row'), numeric: true },
  { key: 'name', label: t('Name') },
  { key: 'price', label: t('Price'), numeric: true },
  { key: 'outcome', label: pgettext('column', 'Change') },
] as const

const OUTCOMES = { added: t('New'), changed: t('Changed'), same: t('As it is') } as const satisfies Record<
  PriceRow['outcome'],
  string
>

function ImportRows({ rows }: { rows: readonly PriceRow[] }) {
  return (
    <Table
      hasNoLinks
      caption={t('The first rows as they were read')}
      columns={COLUMNS}
      className="max-h-72 overflow-y-auto rounded-field border border-primary/22"
    >
      {rows.map(({ row, name, code, unit, price, outcome }) => (
        <tr key={row} className="border-primary/15">
          <td className="text-right text-muted">{row}</td>
          <td className="min-w-36 wrap-anywhere">
            {name}
            {code && <span className="block text-caption text-muted">{code}</span>}
          </td>
          <td className="text-right whitespace-nowrap">
            {formatCents(price)}
            <span className="block text-caption text-muted">{unit}</span>
          </td>
          <td>{OUTCOMES[outcome]}</td>
        </tr>
      ))}
    </Table>
  )
}
