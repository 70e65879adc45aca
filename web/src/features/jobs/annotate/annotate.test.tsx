import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { AnnotateDialog, type PhotoSource } from './annotate-dialog'
import { type Canvas2d, annotatedCaption, drawAnnotation, type Annotation, annotatedFileName } from './marks'

type Call = [name: string, ...args: unknown[]]

/** Records the drawing calls. */
function paper(): Canvas2d & { calls: Call[]; drawImage: () => void } {
  const calls: Call[] = []
  const say =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args])
  return {
    calls,
    beginPath: say('beginPath'),
    moveTo: say('moveTo'),
    lineTo: say('lineTo'),
    ellipse: say('ellipse'),
    stroke: say('stroke'),
    strokeText: say('strokeText'),
    fillText: say('fillText'),
    drawImage: say('drawImage'),
    measureText: (text) => ({ width: text.length * 10 }) as TextMetrics,
    lineWidth: 1,
    strokeStyle: '',
    fillStyle: '',
    lineCap: 'butt',
    lineJoin: 'miter',
    font: '',
    textBaseline: 'alphabetic',
  }
}

const SIZE = { width: 1000, height: 500 }
const drawn = (mark: Annotation, name: string) => {
  const context = paper()
  drawAnnotation(context, mark, SIZE)
  return context.calls.filter(([one]) => one === name)
}

describe('annotation', () => {
  it('keeps its relative position at any picture size', () => {
    const [edge, line] = drawn(
      { kind: 'circle', from: { x: 0.1, y: 0.2 }, to: { x: 0.3, y: 0.6 }, colour: 'red' },
      'ellipse',
    )
    expect(line).toEqual(['ellipse', 200, 200, 100, 100, 0, 0, 2 * Math.PI])
    expect(edge).toEqual(line)
    expect(drawn({ kind: 'arrow', from: { x: 0, y: 0 }, to: { x: 0.5, y: 1 }, colour: 'blue' }, 'lineTo')[0]).toEqual([
      'lineTo',
      500,
      500,
    ])
  })

  it('text stays inside the picture', () => {
    const [words] = drawn({ kind: 'text', at: { x: 0.99, y: 1 }, words: 'Leak here', colour: 'yellow' }, 'fillText')
    const [, text, x, y] = words ?? []
    expect(text).toBe('Leak here')
    expect(Number(x) + 90).toBeLessThanOrEqual(SIZE.width)
    expect(Number(y)).toBeLessThan(SIZE.height)
  })
})

describe('annotated copy', () => {
  it('names its original in file name and caption', () => {
    expect(annotatedFileName('sink.old.png')).toBe('sink.old (marked).jpg')
    expect(annotatedCaption({ name: 'sink.png' })).toBe('Drawn on sink.png')
    expect(annotatedCaption({ name: 'sink.png', caption: 'Below the sink' })).toBe('Below the sink. Drawn on sink.png')
    expect(annotatedCaption({ name: 'sink.png', caption: 'x'.repeat(300) })).toHaveLength(200)
  })
})

describe('drawing canvas', () => {
  const onSave = vi.fn<(file: File) => Promise<string | undefined>>()
  const onClose = vi.fn<() => void>()
  const source: PhotoSource = { id: 'p1', name: 'sink.jpg', load: () => Promise.resolve(new Blob(['x'])) }
  /** Another tool is another pad. */
  const pad = () => screen.getByRole('application')
  const save = () => screen.getByRole('button', { name: 'Save a copy' })
  const at = (canvas: HTMLElement, x: number, y: number) => ({
    target: canvas,
    clientX: x,
    clientY: y,
    button: 0,
    pointerId: 1,
  })
  const tap = (canvas: HTMLElement, x: number, y: number) => {
    fireEvent.pointerDown(canvas, at(canvas, x, y))
    fireEvent.pointerUp(canvas, at(canvas, x, y))
  }

  beforeEach(() => {
    onSave.mockReset().mockResolvedValue(undefined)
    onClose.mockReset()
    vi.stubGlobal('createImageBitmap', () => Promise.resolve({ width: 400, height: 200, close: () => undefined }))
    vi.spyOn(HTMLCanvasElement.prototype, 'getContext').mockImplementation(() => paper() as unknown as RenderingContext)
    vi.spyOn(HTMLCanvasElement.prototype, 'toBlob').mockImplementation((then) =>
      then(new Blob(['jpeg'], { type: 'image/jpeg' })),
    )
    vi.spyOn(HTMLElement.prototype, 'getBoundingClientRect').mockReturnValue(new DOMRect(0, 0, 400, 200))
  })
  afterEach(() => {
    vi.unstubAllGlobals()
    vi.restoreAllMocks()
  })

  it('draws an arrow by dragging, a circle by two taps, a mark by keyboard, and undoes one step', async () => {
    const user = userEvent.setup()
    render(<AnnotateDialog source={source} onClose={onClose} onSave={onSave} />)
    await screen.findByRole('application', { name: 'Photo with 0 marks' })
    expect(save()).toBeDisabled()
    fireEvent.pointerDown(pad(), at(pad(), 40, 40))
    fireEvent.pointerMove(pad(), at(pad(), 200, 100))
    fireEvent.pointerUp(pad(), at(pad(), 200, 100))
    expect(pad()).toHaveAccessibleName('Photo with 1 mark')
    await user.click(screen.getByRole('radio', { name: 'Circle' }))
    tap(pad(), 100, 100)
    expect(screen.getByRole('status')).toHaveTextContent('Now tap the opposite corner.')
    tap(pad(), 300, 150)
    expect(pad()).toHaveAccessibleName('Photo with 2 marks')
    pad().focus()
    await user.keyboard('{Enter}{ArrowRight}{ArrowDown}{Enter}')
    expect(pad()).toHaveAccessibleName('Photo with 3 marks')
    await user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(pad()).toHaveAccessibleName('Photo with 2 marks')
    await user.click(save())
    expect(onSave.mock.calls[0]?.[0]).toMatchObject({ name: 'sink (marked).jpg', type: 'image/jpeg' })
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('asks for text first, keeps a closed drawing, and explains a failed save', async () => {
    const user = userEvent.setup()
    const first = render(<AnnotateDialog source={source} onClose={onClose} onSave={onSave} />)
    await screen.findByRole('application')
    await user.click(screen.getByRole('radio', { name: 'Text' }))
    tap(pad(), 100, 100)
    expect(screen.getByRole('textbox', { name: 'Words' })).toHaveFocus()
    await user.type(screen.getByRole('textbox', { name: 'Words' }), 'Leak')
    tap(pad(), 100, 100)
    first.unmount()
    onSave.mockResolvedValueOnce('No network.')
    render(<AnnotateDialog source={source} onClose={onClose} onSave={onSave} />)
    expect(await screen.findByRole('application', { name: 'Photo with 1 mark' })).toBeInTheDocument()
    await user.click(save())
    expect(screen.getByRole('alert')).toHaveTextContent('No network.')
    expect(onClose).not.toHaveBeenCalled()
    await user.click(save())
    // Sent again it is the same file, which the server stores once.
    expect(onSave.mock.calls[1]?.[0]).toBe(onSave.mock.calls[0]?.[0])
    expect(onClose).toHaveBeenCalledOnce()
  })

  it('photo unavailable: says so', async () => {
    vi.stubGlobal('createImageBitmap', () => Promise.reject(new DOMException('no picture')))
    render(<AnnotateDialog source={source} onClose={onClose} onSave={onSave} />)
    expect(await screen.findByText('The photo could not be opened. It may need a connection.')).toBeInTheDocument()
  })
})
