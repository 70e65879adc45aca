// Drawing by drag, by two taps, or by arrow keys and Enter.
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react'
import { plural, t } from '@/lib/i18n'
import { type Colour, clampPoint, type Annotation, type ImagePoint, type AnnotationTool } from './marks'
import { renderAnnotations, getOutputSize } from './picture'

/** A tap trembles so far, as a share of the picture. */
const TAP_TOLERANCE = 0.02
const KEY_STEP = 0.03
const MIDDLE: ImagePoint = { x: 0.5, y: 0.5 }
const KEY_STEPS: Readonly<Record<string, ImagePoint>> = {
  ArrowLeft: { x: -KEY_STEP, y: 0 },
  ArrowRight: { x: KEY_STEP, y: 0 },
  ArrowUp: { x: 0, y: -KEY_STEP },
  ArrowDown: { x: 0, y: KEY_STEP },
}

const HINTS = {
  arrow: {
    first: t('Drag to what the arrow points at, or tap where it begins.'),
    second: t('Now tap what it points at.'),
  },
  circle: {
    first: t('Drag across what to circle, or tap one corner of it.'),
    second: t('Now tap the opposite corner.'),
  },
  text: { first: t('Write the words, then tap where they stand.'), second: '' },
} as const satisfies Record<AnnotationTool, { first: string; second: string }>

type DrawingCanvasProps = {
  bitmap: ImageBitmap
  marks: readonly Annotation[]
  tool: AnnotationTool
  colour: Colour
  words: string
  onMark: (mark: Annotation) => void
  onNoWords: () => void
}

const isDrag = (one: ImagePoint, other: ImagePoint) => Math.hypot(one.x - other.x, one.y - other.y) > TAP_TOLERANCE

function pointerPosition({ clientX, clientY, currentTarget }: PointerEvent<HTMLElement>): ImagePoint {
  const box = currentTarget.getBoundingClientRect()
  return clampPoint({ x: (clientX - box.left) / (box.width || 1), y: (clientY - box.top) / (box.height || 1) })
}

/** What is begun, and where the pointer or the arrow keys are. */
function useStroke({ tool, colour, words, onMark, onNoWords }: DrawingCanvasProps) {
  const [begun, setBegun] = useState<ImagePoint>()
  const [at, setAt] = useState<ImagePoint>()
  const [cross, setCross] = useState<ImagePoint>()

  const end = (to: ImagePoint) => {
    if (tool === 'text') return words === '' ? onNoWords() : onMark({ kind: 'text', at: to, words, colour })
    if (!begun || !isDrag(begun, to)) return setBegun(begun ?? to)
    setBegun(undefined)
    onMark({ kind: tool, from: begun, to, colour })
  }
  const growing: Annotation | undefined =
    tool !== 'text' && begun && at && isDrag(begun, at) ? { kind: tool, from: begun, to: at, colour } : undefined
  return {
    isHalf: begun !== undefined && at === undefined,
    begun,
    cross,
    growing,
    down: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return
      event.currentTarget.setPointerCapture?.(event.pointerId)
      const place = pointerPosition(event)
      setCross(undefined)
      setAt(place)
      if (tool !== 'text' && !begun) setBegun(place)
    },
    move: (event: PointerEvent<HTMLElement>) => at && setAt(pointerPosition(event)),
    up: (event: PointerEvent<HTMLElement>) => {
      if (!at) return
      setAt(undefined)
      end(pointerPosition(event))
    },
    cancel: () => {
      setAt(undefined)
      setBegun(undefined)
    },
    key: (event: KeyboardEvent) => {
      const step = KEY_STEPS[event.key]
      const from = cross ?? MIDDLE
      if (step) {
        const next = clampPoint({ x: from.x + step.x, y: from.y + step.y })
        setCross(next)
        if (begun) setAt(next)
      } else if (event.key === 'Enter' || event.key === ' ') {
        setAt(undefined)
        setCross(from)
        end(from)
      } else return
      event.preventDefault()
    },
  }
}

/** Keyed by the tool, so that another one starts with fresh state. */
export function DrawingCanvas(props: DrawingCanvasProps) {
  const { bitmap, marks, tool } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const hintId = useId()
  const { begun, isHalf, cross, growing, down, move, up, cancel, key } = useStroke(props)
  useEffect(() => {
    const frame = requestAnimationFrame(
      () => canvas.current && renderAnnotations(canvas.current, bitmap, growing ? [...marks, growing] : marks),
    )
    return () => cancelAnimationFrame(frame)
  })
  return (
    <div className="grid justify-items-center gap-2">
      {/* An application is interactive; its keys are listed below it. */}
      {/* oxlint-disable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
      <div
        role="application"
        tabIndex={0}
        aria-label={plural(marks.length, 'Photo with {count} mark', 'Photo with {count} marks')}
        aria-describedby={hintId}
        className="relative cursor-crosshair touch-none rounded-field select-none"
        onPointerDown={down}
        onPointerMove={move}
        onPointerUp={up}
        onPointerCancel={cancel}
        onKeyDown={key}
      >
        {/* oxlint-enable jsx-a11y/no-noninteractive-element-interactions, jsx-a11y/no-noninteractive-tabindex */}
        <canvas
          ref={canvas}
          {...getOutputSize(bitmap)}
          className="block h-auto max-h-[max(10rem,calc(100dvh-24rem))] w-auto max-w-full rounded-field"
        />
        {begun && !growing && <KeyboardCursor at={begun} />}
        {cross && <KeyboardCursor at={cross} isCross />}
      </div>
      {/* Room for two lines: the photo must not move under the finger. */}
      <p id={hintId} role="status" className="min-h-12 text-center text-note text-muted">
        {isHalf ? HINTS[tool].second : HINTS[tool].first}
        <span className="sr-only"> {t('With a keyboard: the arrow keys move, Enter sets the point.')}</span>
      </p>
    </div>
  )
}

/** Where a mark begins, or where the keys are. */
function KeyboardCursor({ at: { x, y }, isCross = false }: { at: ImagePoint; isCross?: boolean }) {
  return (
    <span
      aria-hidden="true"
      className={
        isCross
          ? 'pointer-events-none absolute size-8 -translate-1/2 rounded-full border-2 border-primary bg-primary/20'
          : 'pointer-events-none absolute size-5 -translate-1/2 rounded-full border-2 border-base-100 bg-primary'
      }
      style={{ left: `${x * 100}%`, top: `${y * 100}%` }}
    />
  )
}
