/** @file Pictures read between their pixels, at places that are data: PyTorch's spatial transformers. Written in the language itself. */

export const SAMPLING = String.raw`
def _pixel(place, size, align_corners):
  return (place + 1) / 2 * (size - 1) if align_corners else ((place + 1) * size - 1) / 2

def _tap(rows, height, width, y, x):
  at = y.clamp(0, height - 1).int() * width + x.clamp(0, width - 1).int()
  n, h, w = at.shape
  values = rows.gather(2, at.reshape(n, 1, h * w).expand(n, rows.shape[1], h * w)).reshape(n, rows.shape[1], h, w)
  inside = (x >= 0) & (x < width) & (y >= 0) & (y < height)
  return torch.where(inside.unsqueeze(1), values, 0.0)

def grid_sample(input, grid, mode="bilinear", padding_mode="zeros", align_corners=False):
  if input.ndim != 4:
    raise ValueError("grid_sample reads pictures: N×C×H×W, at places of N×H×W×2.")
  if padding_mode == "reflection" or mode == "bicubic":
    raise ValueError("grid_sample is known with bilinear or nearest, and with zeros or border: clamp the places, or take one of these.")
  n, c, height, width = input.shape
  rows = input.reshape(n, c, height * width)
  x = _pixel(grid[..., 0], width, align_corners)
  y = _pixel(grid[..., 1], height, align_corners)
  if padding_mode == "border":
    x = x.clamp(0, width - 1)
    y = y.clamp(0, height - 1)
  if mode == "nearest":
    return _tap(rows, height, width, torch.round(y), torch.round(x))
  left = torch.floor(x)
  top = torch.floor(y)
  right = (x - left).unsqueeze(1)
  below = (y - top).unsqueeze(1)
  upper = _tap(rows, height, width, top, left) * (1 - right) + _tap(rows, height, width, top, left + 1) * right
  lower = _tap(rows, height, width, top + 1, left) * (1 - right) + _tap(rows, height, width, top + 1, left + 1) * right
  return upper * (1 - below) + lower * below

def _places(size, align_corners):
  step = torch.arange(size).float()
  return step * 2 / (size - 1) - 1 if align_corners and size > 1 else (step * 2 + 1) / size - 1

def affine_grid(theta, size, align_corners=False):
  n, c, h, w = size
  x = _places(w, align_corners).reshape(1, w, 1).expand(h, w, 1)
  y = _places(h, align_corners).reshape(h, 1, 1).expand(h, w, 1)
  base = torch.cat([x, y, torch.ones(h, w, 1)], dim=-1).reshape(1, h * w, 3)
  return (base @ theta.transpose(1, 2)).reshape(n, h, w, 2)
`;
