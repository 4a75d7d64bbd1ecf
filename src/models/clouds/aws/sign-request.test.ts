import { expect, test } from 'vitest';
import { encodeSegment, type RequestToSign, sha256Hex, signatureHeaders } from './sign-request.js';

// The published test suite of the algorithm has these credentials, date and service.
const scope = {
  region: 'us-east-1',
  service: 'service',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' },
  date: new Date('2015-08-30T12:36:00Z'),
};
const vanilla: RequestToSign = {
  method: 'GET',
  url: 'https://example.amazonaws.com/',
  headers: {},
  bodyHash: sha256Hex(''),
};
const signatureOf = (request: Partial<RequestToSign>): string | undefined =>
  /Signature=(\w+)/.exec(signatureHeaders({ ...vanilla, ...request }, scope)['authorization'] ?? '')?.[1];

test.each([
  ['get-vanilla', {}, '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
  ['post-vanilla', { method: 'POST' }, '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  [
    'get-vanilla-query-order-key-case',
    { url: 'https://example.amazonaws.com/?Param2=value2&Param1=value1' },
    'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
  ],
  [
    'post-header-key-sort',
    { method: 'POST', headers: { 'My-Header1': 'value1' } },
    'c5410059b04c1ee005303aed430f6e6645f61f4dc9e1461ec8f8916fdf18852c',
  ],
])('signs %s as the published test suite does', (_, request, signature) => {
  expect(signatureOf(request)).toBe(signature);
});

test('encodes the name of a model as AWS does', () => {
  expect(encodeSegment("arn:aws:bedrock:us-east-1:123:inference-profile/us.anthropic.claude-v1:0!'()*")).toBe(
    'arn%3Aaws%3Abedrock%3Aus-east-1%3A123%3Ainference-profile%2Fus.anthropic.claude-v1%3A0%21%27%28%29%2A',
  );
});
