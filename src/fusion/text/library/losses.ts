/** @file Losses of PyTorch that are a formula of elements and a reduction. Written in the language itself. */

export const LOSSES = String.raw`
def _reduced(loss, reduction):
  if reduction == "none":
    return loss
  return loss.sum() if reduction == "sum" else loss.mean()

def gaussian_nll_loss(input, target, var, full=False, eps=1e-6, reduction="mean"):
  spread = torch.clamp(var, min=eps)
  loss = 0.5 * (torch.log(spread) + (input - target) ** 2 / spread)
  if full:
    loss = loss + 0.5 * math.log(2 * math.pi)
  return _reduced(loss, reduction)

def poisson_nll_loss(input, target, log_input=True, full=False, eps=1e-8, reduction="mean"):
  if log_input:
    loss = torch.exp(input) - target * input
  else:
    loss = input - target * torch.log(input + eps)
  if full:
    stirling = target * torch.log(target) - target + 0.5 * torch.log(2 * math.pi * target)
    loss = loss + torch.where(target > 1, stirling, 0.0)
  return _reduced(loss, reduction)

def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction="mean"):
  near = F.cosine_similarity(input1, input2, dim=-1)
  return _reduced(torch.where(target > 0, 1 - near, torch.relu(near - margin)), reduction)

def margin_ranking_loss(input1, input2, target, margin=0.0, reduction="mean"):
  return _reduced(torch.relu(-target * (input1 - input2) + margin), reduction)

def hinge_embedding_loss(input, target, margin=1.0, reduction="mean"):
  return _reduced(torch.where(target > 0, input, torch.relu(margin - input)), reduction)

def soft_margin_loss(input, target, reduction="mean"):
  return _reduced(torch.log1p(torch.exp(-target * input)), reduction)

def multi_margin_loss(input, target, p=1, margin=1.0, reduction="mean"):
  own = torch.gather(input, -1, target.unsqueeze(-1))
  others = 1 - F.one_hot(target, input.shape[-1])
  return _reduced((torch.relu(margin - own + input) ** p * others).sum(-1) / input.shape[-1], reduction)

def multilabel_soft_margin_loss(input, target, reduction="mean"):
  loss = -(target * F.logsigmoid(input) + (1 - target) * F.logsigmoid(-input))
  return _reduced(loss.mean(-1), reduction)
`;
