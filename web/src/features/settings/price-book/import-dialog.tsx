// A price list from a spreadsheet: what it would change is shown first, then taken over in one go.
import { useRef, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError } from '@/api/errors'
import { formatCents } from '@/lib/format/money'
import { Badge } from '@/ui/badge'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { FieldError } from '@/ui/field'
import { Notice } from '@/ui/notice'
import { Table } from '@/ui/table'
import { priceTexts as texts } from './messages'
import { type PriceImport, type PriceRow, useImport, useTryImport } from './mutations'

const MAX_BYTES = 2 * 1024 * 1024

/** What is wrong with the file as a whole. */
function faultOf(error: Error): string {
  return (error instanceof ApiError ? error.errors['file'] : undefined) ?? describeError(error, texts.readFailed).description
}

export function ImportDialog({ onClose }: { onClose: () => void }) {
  const input = useRef<HTMLInputElement>(null)
  const [file, setFile] = useState<File>()
  const [isTooLarge, setIsTooLarge] = useState(false)
  const trial = useTryImport()
  const take = useImport()
  const choose = (chosen: HTMLInputElement) => {
    const [next] = chosen.files ?? []
    // The same file chosen again, mended meanwhile, is a change too.
    chosen.value = ''
    if (!next) return
    setFile(next)
    setIsTooLarge(next.size > MAX_BYTES)
    trial.reset()
    if (next.size <= MAX_BYTES) trial.mutate(next)
  }
  const fault = isTooLarge ? texts.tooLarge : trial.error ? faultOf(trial.error) : undefined
  const changes = trial.data ? trial.data.added + trial.data.changed : 0
  return (
    <Dialog open onClose={onClose} title="Import a price list" wide>
      <div className="grid gap-4">
        <p>A CSV file, as Excel and Google Sheets save it. Its first row names the columns: <b>Name</b> and <b>Price</b>, and if you have them Description, Unit, Cost, Tax and Code.</p>
        <p className="text-note text-muted">An item is known by its code, else by its name. What is not in the file stays as it is.</p>
        <Button variant="secondary" icon="share-up" pending={trial.isPending} pendingText="Reading..." onClick={() => input.current?.click()}>{file ? 'Choose another file' : 'Choose a file'}</Button>
        <input ref={input} type="file" accept=".csv,text/csv" hidden aria-label="Price list file" onChange={(event) => choose(event.currentTarget)} />
        {file && <p className="text-note wrap-anywhere">{file.name}</p>}
        {fault && <FieldError>{fault}</FieldError>}
        {trial.data && <Findings found={trial.data} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>Close</Button>
          {file && changes > 0 && (
            <Button icon="check" pending={take.isPending} pendingText="Importing..." onClick={() => take.mutate(file, { onSuccess: onClose })}>Import {changes === 1 ? '1 item' : `${changes} items`}</Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

function Findings({ found: { added, changed, same, failed, errors, rows, ignored } }: { found: PriceImport }) {
  return (
    <>
      <p role="status" className="flex flex-wrap gap-2">
        <Badge tone="success" icon="plus">{added} new</Badge>
        <Badge tone="info" icon="pencil">{changed} changed</Badge>
        <Badge tone="neutral" icon="check">{same} as they are</Badge>
        {failed > 0 && <Badge tone="warning" icon="alert">{failed} left out</Badge>}
      </p>
      {added + changed === 0 && failed === 0 && <p className="text-muted">The price book says all of this already.</p>}
      {ignored.length > 0 && <p className="text-note wrap-anywhere text-muted">Not read: {ignored.join(', ')}</p>}
      {errors.length > 0 && (
        <Notice tone="warning" title={failed === 1 ? 'One row is left out' : `${failed} rows are left out`}>
          <ul aria-label="Rows left out" className="mt-1 grid max-h-48 gap-1 overflow-y-auto">
            {errors.map(({ row, column, message }) => <li key={`${row} ${column} ${message}`}>Row {row}{column === '' ? '' : `, ${column}`}: {message}</li>)}
          </ul>
        </Notice>
      )}
      {rows.length > 0 && <Rows rows={rows} />}
    </>
  )
}

const COLUMNS = [{ key: 'row', label: 'Row', numeric: true }, { key: 'name', label: 'Name' }, { key: 'price', label: 'Price', numeric: true }, { key: 'outcome', label: 'Change' }] as const

const OUTCOMES = { added: 'New', changed: 'Changed', same: 'As it is' } as const satisfies Record<PriceRow['outcome'], string>

function Rows({ rows }: { rows: readonly PriceRow[] }) {
  return (
    <Table caption="The first rows as they were read" columns={COLUMNS} className="max-h-72 overflow-y-auto rounded-field border border-primary/22">
      {rows.map(({ row, name, code, unit, price, outcome }) => (
        <tr key={row} className="border-primary/15">
          <td className="text-right text-muted">{row}</td>
          <td className="min-w-36 wrap-anywhere">{name}{code && <span className="block text-caption text-muted">{code}</span>}</td>
          <td className="text-right whitespace-nowrap">{formatCents(price)}<span className="block text-caption text-muted">{unit}</span></td>
          <td>{OUTCOMES[outcome]}</td>
        </tr>
      ))}
    </Table>
  )
}
