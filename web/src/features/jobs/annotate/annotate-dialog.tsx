// Photo annotation: arrow, circle, text. Saved as a copy.
import { useEffect, useId, useRef, useState } from 'react'
import { useReportDirty } from '@/lib/dirty-forms'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Button } from '@/ui/button'
import { Dialog } from '@/ui/dialog'
import { Icon } from '@/ui/icon'
import { Spinner } from '@/ui/spinner'
import { StatusLine } from '@/ui/status-line'
import { jobsMessages as texts } from '../messages'
import { DrawingCanvas } from './drawing-canvas'
import { type Colour, COLOURS, type Annotation, annotatedFileName, type AnnotationTool } from './marks'
import { fetchPicture, PictureUnavailableError, decodePicture, encodePicture } from './picture'

const MAX_TEXT_LENGTH = 40
const TOOLS = [
  { name: 'arrow', label: t('Arrow') },
  { name: 'circle', label: t('Circle') },
  { name: 'text', label: t('Text') },
] as const satisfies readonly { name: AnnotationTool; label: string }[]
const COLOUR_NAMES = { red: t('Red'), yellow: t('Yellow'), blue: t('Blue') } as const satisfies Record<Colour, string>
const CHIP =
  'flex min-h-12 cursor-pointer items-center justify-center gap-2 rounded-field border border-primary/40 px-2 font-semibold has-checked:border-primary has-checked:bg-primary/15 has-checked:text-primary has-focus-visible:outline-2 has-focus-visible:outline-primary'

/** A drawing survives an accidentally closed dialog. */
let draft: { id: string; marks: readonly Annotation[] } | undefined

/** Where the photo is: at an address, or on this phone. */
export type PhotoSource = { id: string; name: string } & ({ url: string } | { load: () => Promise<Blob> })
type AnnotateDialogProps = {
  source: PhotoSource
  onClose: () => void
  /** Gives why it was not saved; nothing once it is. */ onSave: (file: File) => Promise<string | undefined>
}

/** The photo; `failed` where it cannot be had. */
function usePicture(source: PhotoSource) {
  const [bitmap, setBitmap] = useState<ImageBitmap>()
  const [hasFailed, setHasFailed] = useState(false)
  const first = useRef(source)
  useEffect(() => {
    let isGone = false
    let read: ImageBitmap | undefined
    const open = async () => {
      try {
        const { current } = first
        read = await decodePicture('load' in current ? current.load : () => fetchPicture(current.url))
        if (isGone) read.close()
        else setBitmap(read)
      } catch (error) {
        if (!(error instanceof PictureUnavailableError)) throw error
        setHasFailed(true)
      }
    }
    void open()
    return () => {
      isGone = true
      read?.close()
    }
  }, [])
  return { bitmap, hasFailed }
}

function useMarks(id: string) {
  const [marks, setMarks] = useState<readonly Annotation[]>(() => (draft?.id === id ? draft.marks : []))
  const keep = (next: readonly Annotation[]) => {
    draft = next.length > 0 ? { id, marks: next } : undefined
    setMarks(next)
  }
  return {
    marks,
    add: (mark: Annotation) => keep([...marks, mark]),
    undo: () => keep(marks.slice(0, -1)),
    clear: () => keep([]),
  }
}

export function AnnotateDialog({ source, onClose, onSave }: AnnotateDialogProps) {
  const { bitmap, hasFailed } = usePicture(source)
  return (
    <Dialog open onClose={onClose} title={t('Draw on the photo')} wide>
      {hasFailed && (
        <StatusLine tone="error" icon="alert">
          {texts.draw.failed}
        </StatusLine>
      )}
      {!bitmap && !hasFailed && (
        <p role="status" className="grid min-h-40 place-items-center">
          <Spinner />
          <span className="sr-only">{t('The photo is opened...')}</span>
        </p>
      )}
      {bitmap && <AnnotationEditor bitmap={bitmap} source={source} onClose={onClose} onSave={onSave} />}
    </Dialog>
  )
}

function AnnotationEditor({ bitmap, source, onClose, onSave }: AnnotateDialogProps & { bitmap: ImageBitmap }) {
  const { marks, add, undo, clear } = useMarks(source.id)
  const [tool, setTool] = useState<AnnotationTool>('arrow')
  const [colour, setColour] = useState<Colour>('red')
  const [words, setWords] = useState('')
  const field = useRef<HTMLInputElement>(null)
  const { isSaving, errorText, save } = useSaveAnnotation(bitmap, marks, source.name, onSave, () => {
    clear()
    onClose()
  })
  useReportDirty(marks.length > 0)
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3">
      <DrawingCanvas
        key={tool}
        bitmap={bitmap}
        marks={marks}
        tool={tool}
        colour={colour}
        words={words.trim()}
        onMark={add}
        onNoWords={() => field.current?.focus()}
      />
      {tool === 'text' && (
        <input
          ref={field}
          className="input"
          aria-label={t('Words')}
          placeholder={t('Words')}
          maxLength={MAX_TEXT_LENGTH}
          autoComplete="off"
          enterKeyHint="done"
          value={words}
          onChange={(event) => setWords(event.target.value)}
          onKeyDown={({ key, currentTarget }) => key === 'Enter' && currentTarget.blur()}
        />
      )}
      <div className="grid gap-2 sm:grid-cols-2">
        <Chips label={t('What to draw')} choices={TOOLS} value={tool} onChange={setTool} />
        <Chips
          label={t('Colour')}
          choices={(Object.keys(COLOURS) as Colour[]).map((name) => ({
            name,
            label: COLOUR_NAMES[name],
            dot: COLOURS[name],
          }))}
          value={colour}
          onChange={setColour}
        />
      </div>
      {errorText !== undefined && (
        <div role="alert">
          <StatusLine tone="error" icon="alert">
            {errorText}
          </StatusLine>
        </div>
      )}
      <div className="grid grid-cols-[auto_minmax(0,1fr)] gap-2">
        <Button variant="secondary" icon="undo" disabled={marks.length === 0 || isSaving} onClick={undo}>
          {t('Undo')}
        </Button>
        <Button
          icon="check"
          className="px-2! whitespace-nowrap"
          disabled={marks.length === 0}
          pending={isSaving}
          pendingText={t('Saving...')}
          onClick={() => void save()}
        >
          {t('Save a copy')}
        </Button>
      </div>
    </div>
  )
}

function useSaveAnnotation(
  bitmap: ImageBitmap,
  marks: readonly Annotation[],
  name: string,
  onSave: AnnotateDialogProps['onSave'],
  onSaved: () => void,
) {
  const [isSaving, setIsSaving] = useState(false)
  const [errorText, setFault] = useState<string>()
  /** Sent again it is the same file: stored once. */
  const written = useRef<{ marks: readonly Annotation[]; file: File }>(undefined)
  const save = async () => {
    setIsSaving(true)
    setFault(undefined)
    if (written.current?.marks !== marks)
      written.current = { marks, file: await encodePicture(bitmap, marks, annotatedFileName(name)) }
    const why = await onSave(written.current.file)
    setIsSaving(false)
    if (why === undefined) onSaved()
    else setFault(why)
  }
  return { isSaving, errorText, save }
}

type ChipsProps<Name extends string> = {
  label: string
  choices: readonly { name: Name; label: string; dot?: string }[]
  value: Name
  onChange: (name: Name) => void
}

function Chips<Name extends string>({ label, choices, value, onChange }: ChipsProps<Name>) {
  const group = useId()
  return (
    <fieldset className="min-w-0">
      <legend className="sr-only">{label}</legend>
      <div className="grid grid-cols-3 gap-2">
        {choices.map((choice) => (
          <label key={choice.name} className={CHIP}>
            <input
              type="radio"
              name={group}
              className="sr-only"
              checked={choice.name === value}
              onChange={() => onChange(choice.name)}
            />
            {choice.dot ? (
              <span
                aria-hidden="true"
                className="size-4 shrink-0 rounded-full border border-base-content/40 max-[22rem]:hidden"
                style={{ background: choice.dot }}
              />
            ) : (
              <ToolIcon name={choice.name} />
            )}
            {choice.label}
          </label>
        ))}
      </div>
    </fieldset>
  )
}

function ToolIcon({ name }: { name: string }) {
  if (name === 'arrow') return <Icon name="arrow-right" className="-rotate-45 max-[22rem]:hidden" />
  return (
    <span
      aria-hidden="true"
      className={classNames(
        'max-[22rem]:hidden',
        name === 'circle' ? 'size-4 shrink-0 rounded-full border-2 border-current' : 'text-note',
      )}
    >
      {name === 'text' && 'Aa'}
    </span>
  )
}
