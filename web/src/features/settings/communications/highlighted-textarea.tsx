// Textarea over a layer with fault marks.
import { type ReactNode, type RefObject, useRef } from 'react'
import { classNames } from '@/lib/class-names'
import type { TextRange } from '../lib/fault-range'

type HighlightedTextareaProps = {
  id: string
  describedBy: string | undefined
  lang: string
  value: string
  rows: number
  marks: readonly TextRange[]
  isInvalid: boolean
  field: RefObject<HTMLTextAreaElement | null>
  onChange: (value: string) => void
  onFocus: () => void
}

/** Both layers must break their lines at the same places. */
const TEXT_LAYOUT_CLASS = 'w-full px-3 py-2 text-base leading-6 whitespace-pre-wrap wrap-break-word'

export function HighlightedTextarea({
  id,
  describedBy,
  lang,
  value,
  rows,
  marks,
  isInvalid,
  field,
  onChange,
  onFocus,
}: HighlightedTextareaProps) {
  const behind = useRef<HTMLDivElement>(null)
  return (
    <div className="relative">
      <div
        ref={behind}
        aria-hidden="true"
        className={classNames(
          TEXT_LAYOUT_CLASS,
          'pointer-events-none absolute inset-0 overflow-hidden border border-transparent text-transparent',
        )}
      >
        {renderMarks(value, marks)}
      </div>
      <textarea
        ref={field}
        id={id}
        lang={lang}
        rows={rows}
        aria-describedby={describedBy}
        aria-invalid={isInvalid || undefined}
        className={classNames(
          TEXT_LAYOUT_CLASS,
          'textarea relative block field-sizing-content max-h-[60dvh] resize-none min-h-28 bg-transparent!',
        )}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onFocus={onFocus}
        onScroll={({ currentTarget }) => {
          if (behind.current) behind.current.scrollTop = currentTarget.scrollTop
        }}
      />
    </div>
  )
}

function renderMarks(text: string, marks: readonly TextRange[]): ReactNode[] {
  const pieces: ReactNode[] = []
  let at = 0
  for (const { start, end } of marks.toSorted((a, b) => a.start - b.start)) {
    if (start < at || end <= start) continue
    pieces.push(
      text.slice(at, start),
      <mark key={start} className="rounded-sm bg-error/25 text-transparent underline decoration-error decoration-wavy">
        {text.slice(start, end)}
      </mark>,
    )
    at = end
  }
  // A last empty line would have no height without something after it.
  pieces.push(`${text.slice(at)}\n`)
  return pieces
}
