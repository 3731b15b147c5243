N, TURNS = 2048, 50
cx: f32[N, N] = uniform(-2, 1)
cy: f32[N, N] = uniform(-1.5, 1.5)
x = cx * 0
y = cy * 0
count = cx * 0
for turn in range(TURNS):
    next_x = x * x - y * y + cx
    next_y = 2 * x * y + cy
    inside = next_x * next_x + next_y * next_y < 4
    x = where(inside, next_x, x)
    y = where(inside, next_y, y)
    count = where(inside, count + 1, count)
return count
