import { describe, expect, it } from 'vitest'
import { buildProblem } from '@/testing/builders'
import { buildProblemResponse, startFakeServer } from '@/testing/fake-server'
import { api, ApiError, NetworkError, unwrap } from './client'
import { describeError, isTemporary, formatWait } from './errors'

const FALLBACK = { title: 'Login failed', description: 'Invalid email or password' }

async function failure(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('unwrap', () => {
  it('reads a problem document into an error with status and detail', async () => {
    const server = startFakeServer()
    const problem = buildProblem(422, 'validation_failed', {
      detail: 'Some fields are wrong.',
      errors: { zip: 'Zip code is required' },
      requestId: 'r-9',
    })
    server.on('GET', '/api/auth/me', buildProblemResponse(problem))
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({
      message: '422: Some fields are wrong.',
      code: 'validation_failed',
      errors: { zip: 'Zip code is required' },
      requestId: 'r-9',
    })
  })

  it('falls back to the status text without a document', async () => {
    const server = startFakeServer()
    server.on('GET', '/api/auth/me', { status: 502 })
    expect(await failure(unwrap(api.GET('/api/auth/me')))).toMatchObject({
      message: '502: ',
      status: 502,
      code: undefined,
    })
  })

  it('tells a network failure from a refusal', async () => {
    const server = startFakeServer()
    server.goOffline()
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(error).toBeInstanceOf(NetworkError)
    expect(isTemporary(error)).toBe(true)
    expect(describeError(error, FALLBACK).title).toBe('You are offline')
  })

  it('keeps the retry delay', async () => {
    const server = startFakeServer()
    server.on(
      'GET',
      '/api/auth/me',
      buildProblemResponse(buildProblem(429, 'too_many_requests'), { 'Retry-After': '120' }),
    )
    const error = await failure(unwrap(api.GET('/api/auth/me')))
    expect(describeError(error).description).toBe('Please wait 2 minutes and try again.')
  })
})

describe('describeError', () => {
  it('prefers the server’s text over the caller’s', () => {
    const apiError = new ApiError({ status: 401, code: 'invalid_credentials', detail: 'Invalid email or password' })
    expect(describeError(apiError, FALLBACK).description).toBe('Invalid email or password')
    expect(describeError(new ApiError({ status: 500, code: 'internal', detail: 'x' }), FALLBACK)).toEqual(FALLBACK)
    expect(describeError(new ApiError({ status: 502, detail: 'Bad Gateway' }), FALLBACK)).toEqual(FALLBACK)
    expect(describeError(new Error('boom'), FALLBACK)).toEqual(FALLBACK)
  })

  it('formats waits in seconds, then in minutes', () => {
    expect(formatWait(1)).toBe('1 second')
    expect(formatWait(30)).toBe('30 seconds')
    expect(formatWait(600)).toBe('10 minutes')
  })
})
