import { formatCalendarDay } from '@/lib/format/calendar-day'
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
      title="Import reviews"
      fileLabel="Reviews file"
      texts={texts}
      trial={usePreviewReviewImport()}
      take={useImportReviews()}
      changesIn={({ added }) => added}
      takeLabel={(count) => `Import ${count === 1 ? '1 review' : `${count} reviews`}`}
      findings={ImportFindings}
      onClose={onClose}
    >
      <p>
        A CSV file, as Excel and Google Sheets save it. Its first row names the columns: <b>Rating</b>, and if you have
        them Date, Customer, Review, Source, Phone and Email.
      </p>
      <p className="text-note text-muted">
        A phone or an email finds whose review it is. What is here already is not added twice.
      </p>
    </CsvImport>
  )
}

function ImportFindings({ found: { added, same, failed, errors, rows, ignored } }: { found: ReviewImport }) {
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">
          {added} new
        </Badge>
        <Badge tone="neutral" icon="check">
          {same} here already
        </Badge>
        {failed > 0 && (
          <Badge tone="warning" icon="alert">
            {failed} left out
          </Badge>
        )}
      </p>
      {added === 0 && failed === 0 && <p className="text-muted">All of these are here already.</p>}
      <ImportErrors ignored={ignored} failed={failed} errors={errors} />
      {rows.length > 0 && <ImportRows rows={rows} />}
    </>
  )
}

const COLUMNS = [
  { key: 'row', label: 'Row', numeric: true },
  { key: 'customer', label: 'Customer' },
  { key: 'rating', label: 'Rating' },
  { key: 'review', label: 'Review' },
  { key: 'outcome', label: 'Change' },
] as const

const OUTCOMES = { added: 'New', same: 'Here already' } as const satisfies Record<ReviewImportRow['outcome'], string>

function ImportRows({ rows }: { rows: readonly ReviewImportRow[] }) {
  return (
    <Table
      hasNoLinks
      caption="The first rows as they were read"
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
