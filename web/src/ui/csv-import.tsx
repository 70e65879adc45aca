// A list from a spreadsheet, taken over: what it would change is shown first, then done in one go.
import { type ComponentType, type ReactNode, useRef, useState } from 'react'
import { ApiError } from '@/api/client'
import { describeError, type ErrorText } from '@/api/errors'
import { csvFile } from '@/lib/csv'
import { saveFile } from '@/lib/download'
import { plural, t } from '@/lib/i18n'
import { Button } from './button'
import { Dialog } from './dialog'
import { FieldError } from './field'
import { Notice } from './notice'
import { ScrollArea } from './scroll-area'

const MAX_BYTES = 2 * 1024 * 1024

/** Says what a file would change; nothing is stored. */
type ImportPreview<Found> = {
  data: Found | undefined
  error: Error | null
  isPending: boolean
  mutate: (file: File) => void
  reset: () => void
}
type ImportCommand = { isPending: boolean; mutate: (file: File, then: { onSuccess: () => void }) => void }

type CsvImportProps<Found> = {
  title: string
  /** Read aloud where the file is chosen. */
  fileLabel: string
  texts: { tooLarge: string; readFailed: ErrorText }
  /** What the file may hold. */
  children: ReactNode
  trial: ImportPreview<Found>
  take: ImportCommand
  /** How much taking it over would change. */
  changesIn: (found: Found) => number
  takeLabel: (changes: number) => string
  /** What the file says, before it is taken over. */
  findings: ComponentType<{ found: Found }>
  onClose: () => void
}

/** What is wrong with the file as a whole. */
function getImportError(error: Error, readFailed: ErrorText): string {
  return (error instanceof ApiError ? error.errors['file'] : undefined) ?? describeError(error, readFailed).description
}

function useChosenFile<Found>(trial: ImportPreview<Found>) {
  const [file, setFile] = useState<File>()
  const choose = (input: HTMLInputElement) => {
    const [next] = input.files ?? []
    // The same file chosen again after an edit is a change too.
    input.value = ''
    if (!next) return
    setFile(next)
    trial.reset()
    if (next.size <= MAX_BYTES) trial.mutate(next)
  }
  return { file, choose }
}

export function CsvImport<Found>({
  title,
  fileLabel,
  texts,
  children,
  trial,
  take,
  changesIn,
  takeLabel,
  findings: Findings,
  onClose,
}: CsvImportProps<Found>) {
  const input = useRef<HTMLInputElement>(null)
  const { file, choose } = useChosenFile(trial)
  const isTooLarge = file !== undefined && file.size > MAX_BYTES
  const errorText = isTooLarge
    ? texts.tooLarge
    : trial.error
      ? getImportError(trial.error, texts.readFailed)
      : undefined
  const changes = trial.data ? changesIn(trial.data) : 0
  return (
    <Dialog open onClose={onClose} title={title} wide>
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4">
        {children}
        <Button
          variant="secondary"
          icon="share-up"
          pending={trial.isPending}
          pendingText={t('Reading...')}
          onClick={() => input.current?.click()}
        >
          {file ? t('Choose another file') : t('Choose a file')}
        </Button>
        <input
          ref={input}
          type="file"
          accept=".csv,text/csv"
          hidden
          aria-label={fileLabel}
          onChange={(event) => choose(event.currentTarget)}
        />
        {file && <p className="text-note wrap-anywhere">{file.name}</p>}
        {errorText && <FieldError>{errorText}</FieldError>}
        {trial.data && <Findings found={trial.data} />}
        <div className="flex flex-wrap justify-end gap-2">
          <Button variant="ghost" onClick={onClose}>
            {t('Close')}
          </Button>
          {file && changes > 0 && (
            <Button
              icon="check"
              pending={take.isPending}
              pendingText={t('Importing...')}
              onClick={() => take.mutate(file, { onSuccess: onClose })}
            >
              {takeLabel(changes)}
            </Button>
          )}
        </div>
      </div>
    </Dialog>
  )
}

type ImportRowError = { row: number; column: string; message: string }

/** So many faults are shown; the file has all of them. */
const MAX_SHOWN = 500

type ImportErrorsProps = {
  ignored: readonly string[]
  failed: number
  errors: readonly ImportRowError[]
  /** What a file with all faults is called; without it there is none. */
  fileName?: string
}

/** What is not taken over: columns that nothing reads, rows with a fault. */
export function ImportErrors({ ignored, failed, errors, fileName }: ImportErrorsProps) {
  return (
    <>
      {ignored.length > 0 && (
        <p className="text-note wrap-anywhere text-muted">
          {t('Not read:')} {ignored.join(', ')}
        </p>
      )}
      {errors.length > 0 && (
        <Notice tone="warning" title={plural(failed, 'One row is left out', '{count} rows are left out')}>
          <ScrollArea label={t('Rows left out')} className="mt-1 max-h-48">
            <ul className="grid gap-1">
              {errors.slice(0, MAX_SHOWN).map(({ row, column, message }) => (
                <li key={`${row} ${column} ${message}`}>
                  {t('Row {row}', { row })}
                  {column === '' ? '' : `, ${column}`}: {message}
                </li>
              ))}
            </ul>
          </ScrollArea>
          {fileName !== undefined && (
            <Button
              variant="ghost"
              icon="download"
              className="mt-2"
              onClick={() => saveFile(createErrorsFile(errors), fileName)}
            >
              {t('Download them as a file')}
            </Button>
          )}
        </Notice>
      )}
    </>
  )
}

function createErrorsFile(errors: readonly ImportRowError[]): Blob {
  return csvFile([
    ['Row', 'Column', 'What is wrong'],
    ...errors.map(({ row, column, message }) => [row, column, message]),
  ])
}
