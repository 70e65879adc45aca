// Annotation marks in relative coordinates.

export type ImagePoint = { x: number; y: number }
export const COLOURS = { red: 'hsl(0 100% 50%)', yellow: 'hsl(52 100% 50%)', blue: 'hsl(205 100% 55%)' } as const
export type Colour = keyof typeof COLOURS
export type AnnotationTool = 'arrow' | 'circle' | 'text'
export type Annotation =
  | { kind: 'arrow' | 'circle'; from: ImagePoint; to: ImagePoint; colour: Colour }
  | { kind: 'text'; at: ImagePoint; words: string; colour: Colour }

export type Canvas2d = Pick<
  CanvasRenderingContext2D,
  | 'beginPath'
  | 'moveTo'
  | 'lineTo'
  | 'ellipse'
  | 'stroke'
  | 'strokeText'
  | 'fillText'
  | 'measureText'
  | 'lineWidth'
  | 'strokeStyle'
  | 'fillStyle'
  | 'lineCap'
  | 'lineJoin'
  | 'font'
  | 'textBaseline'
>
type Size = { width: number; height: number }

/** Seen from an arm's length, on a phone and on paper. */
const LINE_SHARE = 1 / 100
const TEXT_SHARE = 1 / 20
const ARROW_HEAD_LINES = 6
const ARROW_HEAD_ANGLE = Math.PI / 7
/** Around every line: red on a red brick is seen too. */
const OUTLINE_COLOUR = 'hsl(0 0% 0% / .65)'
const OUTLINE_LINES = 1.7

const clampUnit = (value: number) => Math.min(1, Math.max(0, value))
export const clampPoint = ({ x, y }: ImagePoint): ImagePoint => ({ x: clampUnit(x), y: clampUnit(y) })

function strokeArrow(context: Canvas2d, from: ImagePoint, to: ImagePoint, head: number): void {
  const angle = Math.atan2(to.y - from.y, to.x - from.x)
  context.moveTo(from.x, from.y)
  context.lineTo(to.x, to.y)
  for (const side of [-ARROW_HEAD_ANGLE, ARROW_HEAD_ANGLE]) {
    context.moveTo(to.x, to.y)
    context.lineTo(to.x - head * Math.cos(angle + side), to.y - head * Math.sin(angle + side))
  }
}

function strokeCircle(context: Canvas2d, from: ImagePoint, to: ImagePoint): void {
  const [across, down] = [Math.abs(to.x - from.x) / 2, Math.abs(to.y - from.y) / 2]
  context.ellipse((from.x + to.x) / 2, (from.y + to.y) / 2, across, down, 0, 0, 2 * Math.PI)
}

const labelFont = (pixels: number) => `700 ${pixels}px system-ui, sans-serif`

/** Begins at the point, or left or up of it where it would leave the picture; one that is too wide is scaled down. */
function drawLabel(
  context: Canvas2d,
  { at, words, colour }: Extract<Annotation, { kind: 'text' }>,
  { width, height }: Size,
): void {
  const size = Math.max(width, height) * TEXT_SHARE
  context.font = labelFont(size)
  const scale = Math.min(1, (width * 0.96) / context.measureText(words).width)
  context.font = labelFont(size * scale)
  const x = Math.max(width * 0.02, Math.min(at.x * width, width * 0.98 - context.measureText(words).width))
  const y = Math.min(Math.max(at.y * height, size), height - size * 0.4)
  context.textBaseline = 'alphabetic'
  context.lineWidth = (size * scale) / 5
  context.strokeStyle = OUTLINE_COLOUR
  context.strokeText(words, x, y)
  context.fillStyle = COLOURS[colour]
  context.fillText(words, x, y)
}

export function drawAnnotation(context: Canvas2d, mark: Annotation, size: Size): void {
  context.lineCap = 'round'
  context.lineJoin = 'round'
  if (mark.kind === 'text') return drawLabel(context, mark, size)
  const line = Math.max(3, Math.max(size.width, size.height) * LINE_SHARE)
  const [from, to] = [mark.from, mark.to].map(({ x, y }) => ({ x: x * size.width, y: y * size.height })) as [
    ImagePoint,
    ImagePoint,
  ]
  for (const [style, lineWidth] of [
    [OUTLINE_COLOUR, line * OUTLINE_LINES],
    [COLOURS[mark.colour], line],
  ] as const) {
    context.beginPath()
    if (mark.kind === 'arrow') strokeArrow(context, from, to, line * ARROW_HEAD_LINES)
    else strokeCircle(context, from, to)
    context.strokeStyle = style
    context.lineWidth = lineWidth
    context.stroke()
  }
}

/** `tap (marked).jpg`, for a photo called `tap.png`: the copy names its original, and so does the copy of a copy. */
export function annotatedFileName(name: string): string {
  return `${name.replace(/\.[^.]*$/, '')} (marked).jpg`
}

const MAX_CAPTION = 200

/** Description of the copy, in addition to the original's. */
export function annotatedCaption({ name, caption }: { name: string; caption?: string | null | undefined }): string {
  const origin = `Drawn on ${name}`
  return (caption ? `${caption}. ${origin}` : origin).slice(0, MAX_CAPTION)
}
