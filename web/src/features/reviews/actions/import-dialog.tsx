import { formatCalendarDay } from '@/lib/format/calendar-day'
import { pgettext, plural, t } from '@/lib/i18n'
import { Badge } from '@/ui/badge'
import { CsvImport, ImportErrors } from '@/ui/csv-import'
import { Table } from '@/ui/table'
import { RatingBadge } from '../components/rating-badge'
import { reviewsMessages as texts } from '../messages'
import { useImportReviews, usePreviewReviewImport } from '../mutations'
import type { ReviewImport, ReviewImportRow } from '../types'

export function ImportReviewsDialog({ onClose }: { onClose: () => void }) {
  return (
    <CsvImport
      title={t('Import reviews')}
      fileLabel={t('Reviews file')}
      texts={texts}
      trial={usePreviewReviewImport()}
      take={useImportReviews()}
      changesIn={({ added }) => added}
      takeLabel={(count) => plural(count, 'Import {count} review', 'Import {count} reviews')}
      findings={ImportFindings}
      onClose={onClose}
    >
      <p>
        {t('A CSV file, as Excel and Google Sheets save it. Its first row names the columns:')} <b>Rating</b>
        {t(', and if you have them Date, Customer, Review, Source, Phone and Email.')}
      </p>
      <p className="text-note text-muted">
        {t('A phone or an email finds whose review it is. What is here already is not added twice.')}
      </p>
    </CsvImport>
  )
}

function ImportFindings({ found: { added, same, failed, errors, rows, ignored } }: { found: ReviewImport }) {
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">
          {t('{added} new', { added })}
        </Badge>
        <Badge tone="neutral" icon="check">
          {t('{same} here already', { same })}
        </Badge>
        {failed > 0 && (
          <Badge tone="warning" icon="alert">
            {t('{failed} left out', { failed })}
          </Badge>
        )}
      </p>
      {added === 0 && failed === 0 && <p className="text-muted">{t('All of these are here already.')}</p>}
      <ImportErrors ignored={ignored} failed={failed} errors={errors} />
      {rows.length > 0 && <ImportRows rows={rows} />}
    </>
  )
}

const COLUMNS = [
  { key: 'row', label: t('Row'), numeric: true },
  { key: 'customer', label: t('Customer') },
  { key: 'rating', label: t('Rating') },
  { key: 'review', label: t('Review') },
  { key: 'outcome', label: pgettext('column', 'Change') },
] as const

const OUTCOMES = { added: t('New'), same: t('Here already') } as const satisfies Record<
  ReviewImportRow['outcome'],
  string
>

function ImportRows({ rows }: { rows: readonly ReviewImportRow[] }) {
  return (
    <Table
      hasNoLinks
      caption={t('The first rows as they were read')}
      columns={COLUMNS}
      className="max-h-72 overflow-y-auto rounded-field border border-primary/22"
    >
      {rows.map(({ row, outcome, date, customer_name: name, rating, review_text: text, source }) => (
        <tr key={row} className="border-primary/15 align-top">
          <td className="text-right text-muted">{row}</td>
          <td className="min-w-32 wrap-anywhere">
            {name ?? texts.anonymous}
            <span className="block text-caption text-muted">
              {date ? formatCalendarDay(date) : texts.noDate}, {source}
            </span>
          </td>
          <td>
            <RatingBadge rating={rating} />
          </td>
          <td className="min-w-48">
            <span className="line-clamp-3 wrap-anywhere">
              {text ?? <span className="text-muted">{texts.noText}</span>}
            </span>
          </td>
          <td className="whitespace-nowrap">{OUTCOMES[outcome]}</td>
        </tr>
      ))}
    </Table>
  )
}
