/** @file Samples from distributions: uniform inputs, and what becomes of them. Written in the language itself. */

export const SAMPLING = String.raw`
def bernoulli(input, p=None):
  share = input if p is None else torch.full_like(input, p)
  return (rand_like(share) < share).to(input.dtype)

def _gumbel(input):
  return -torch.log(-torch.log(rand_like(input)))

def gumbel_softmax(logits, tau=1.0, hard=False, eps=1e-10, dim=-1):
  soft = torch.softmax((logits + _gumbel(logits)) / tau, dim=dim)
  if not hard:
    return soft
  best = soft == torch.amax(soft, dim, keepdim=True)
  return best.to(logits.dtype) - stop_gradient(soft) + soft

def multinomial(input, num_samples, replacement=False):
  # The largest of log p plus Gumbel noise is a sample, and the k largest are k samples without replacement.
  logits = torch.log(input)
  if replacement:
    shape = list(input.shape[:-1]) + [num_samples, input.shape[-1]]
    each = logits.unsqueeze(-2).expand(shape)
    return torch.argmax(each + _gumbel(each), -1)
  return torch.topk(logits + _gumbel(logits), num_samples, dim=-1)[1]

def categorical(key, logits, dim=-1, shape=None):
  return torch.argmax(logits + _gumbel(logits), dim)
`;
