import { describe, expect, it } from 'vitest'
import { fitWithin } from '@/lib/image-compress'
import { choosePhotos, tooLargeText } from './photo-rules'

const file = (name: string, type: string) => new File(['x'], name, { type })

describe('choosePhotos', () => {
  it('accepts pictures only, and names refused files', () => {
    const choice = choosePhotos(
      [file('a.png', 'image/png'), file('plan.pdf', 'application/pdf'), file('b.jpg', 'image/jpeg')],
      0,
    )
    expect(choice.accepted.map(({ name }) => name)).toEqual(['a.png', 'b.jpg'])
    expect(choice.refused).toEqual(['plan.pdf is not an image. Please choose PNG or JPG.'])
  })

  it('counts earlier choices', () => {
    const choice = choosePhotos([file('a.png', 'image/png'), file('b.png', 'image/png')], 4)
    expect(choice.accepted).toHaveLength(1)
    expect(choice.refused).toEqual(['b.png was left out: at most 5 photos can be sent.'])
  })

  it('limits size to 5 MB', () => {
    expect(tooLargeText('a.png', 5 * 1024 * 1024)).toBeUndefined()
    expect(tooLargeText('a.png', 5 * 1024 * 1024 + 1)).toBe('a.png is larger than 5MB. Please choose a smaller one.')
  })
})

describe('fitWithin', () => {
  it('keeps the aspect ratio and never enlarges', () => {
    expect(fitWithin(4032, 3024, 2048)).toEqual({ width: 2048, height: 1536 })
    expect(fitWithin(3024, 4032, 2048)).toEqual({ width: 1536, height: 2048 })
    expect(fitWithin(800, 600, 2048)).toEqual({ width: 800, height: 600 })
    expect(fitWithin(10_000, 1, 2048)).toEqual({ width: 2048, height: 1 })
  })
})
