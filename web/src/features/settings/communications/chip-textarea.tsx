// Text field in which chips stand as whole words: a plain textarea over a layer that draws them.
import { type RefObject, useId, useLayoutEffect, useRef } from 'react'
import { classNames } from '@/lib/class-names'
import { t } from '@/lib/i18n'
import { Field } from '@/ui/field'
import {
  applyChipEdit,
  CHIP_END,
  CHIP_START,
  type ChipNames,
  fromChipText,
  listChips,
  type Segment,
  toChipText,
} from './wording-segments'

/** Both layers must break their lines at the same places. */
const TEXT_LAYOUT_CLASS = 'w-full px-3 py-2 text-base leading-7 whitespace-pre-wrap wrap-break-word'
/** Name of a chip for the moment in which it is inserted. */
const INSERTED = 'inserted'

export type InsertTarget = RefObject<((segment: Segment) => void) | undefined>

type ChipTextareaProps = {
  label: string
  lang: string
  rows: number
  isInvalid?: boolean
  isSingleLine?: boolean
  /** Takes what is inserted until another field is used. */
  isFirst?: boolean
  segments: readonly Segment[]
  names: ChipNames
  find: (name: string) => Segment | undefined
  target: InsertTarget
  onChange: (segments: Segment[]) => void
}

export function ChipTextarea(props: ChipTextareaProps) {
  const { label, lang, rows, isInvalid = false, isSingleLine = false, isFirst = false, names, target } = props
  const { text, known } = toChipText(props.segments, names)
  const field = useRef<HTMLTextAreaElement>(null)
  const layer = useRef<HTMLDivElement>(null)
  const caret = useRef<number>(undefined)
  const hintId = useId()

  const change = (next: string, at: number, inserted?: Segment) => {
    const segments = fromChipText(isSingleLine ? next.replaceAll('\n', ' ') : next, (name) =>
      name === INSERTED ? inserted : (known.get(name) ?? props.find(name)),
    )
    // Counted from the end: a chip is shown under another name than it was inserted by.
    caret.current = toChipText(segments, names).text.length - (next.length - at)
    props.onChange(segments)
  }
  const insert = (segment: Segment) => {
    const [start, end] = [field.current?.selectionStart ?? text.length, field.current?.selectionEnd ?? text.length]
    const before = `${text.slice(0, start)}${CHIP_START}${INSERTED}${CHIP_END}`
    change(before + text.slice(end), before.length, segment)
    field.current?.focus()
  }
  const latest = useRef(insert)
  useLayoutEffect(() => {
    latest.current = insert
    if (isFirst) target.current ??= (segment) => latest.current(segment)
    if (caret.current !== undefined) field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  /** The caret never stands within a chip. */
  const leaveChip = (area: HTMLTextAreaElement) => {
    const { selectionStart: at, selectionEnd } = area
    const chip = at === selectionEnd && listChips(text).find(({ start, end }) => at > start && at < end)
    if (chip) area.setSelectionRange(chip.end, chip.end)
  }
  return (
    <Field label={label} unmarked>
      {({ id }) => (
        <div className="relative">
          <div
            ref={layer}
            aria-hidden="true"
            className={classNames(
              TEXT_LAYOUT_CLASS,
              'pointer-events-none absolute inset-0 overflow-hidden border border-transparent text-transparent',
            )}
          >
            <ChipMarks text={text} />
          </div>
          <textarea
            ref={field}
            id={id}
            lang={lang}
            rows={rows}
            aria-describedby={hintId}
            aria-invalid={isInvalid || undefined}
            className={classNames(
              TEXT_LAYOUT_CLASS,
              'textarea relative block field-sizing-content max-h-[60dvh] min-h-12 resize-none bg-transparent!',
            )}
            value={text}
            onChange={({ currentTarget }) => {
              const edit = applyChipEdit(text, currentTarget.value)
              change(edit.text, edit.caret)
            }}
            onSelect={({ currentTarget }) => leaveChip(currentTarget)}
            onFocus={() => {
              target.current = (segment) => latest.current(segment)
            }}
            onScroll={({ currentTarget }) => {
              if (layer.current) layer.current.scrollTop = currentTarget.scrollTop
            }}
          />
          <p id={hintId} className="sr-only">
            {t('Chips are filled in for each customer. Deleting a letter of a chip deletes the chip.')}
          </p>
        </div>
      )}
    </Field>
  )
}

function ChipMarks({ text }: { text: string }) {
  const chips = listChips(text)
  return (
    <>
      {chips.map(({ start, end }, at) => (
        <span key={start}>
          {text.slice(chips[at - 1]?.end ?? 0, start)}
          <mark className="rounded-sm bg-primary/20 text-transparent outline outline-primary/45">
            {text.slice(start, end)}
          </mark>
        </span>
      ))}
      {/* A last empty line would have no height without something after it. */}
      {`${text.slice(chips.at(-1)?.end ?? 0)}\n`}
    </>
  )
}
