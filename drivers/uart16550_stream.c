/* SPDX-License-Identifier: BSD-2-Clause */
/* See uart16550_stream.h. */
#include "drivers/uart16550_stream.h"
#include "drivers/uart16550_registers.h"

#define SCRATCH 7

static struct uart16550_stream *uart16550_stream_uart_of(struct stream *stream)
{
    return (struct uart16550_stream *)stream;
}

static int stream_uart_handle(void *argument)
{
    struct uart16550_stream *uart = argument;
    uintptr_t state = spinlock_acquire(&uart->stream.lock);
    bool any = false;

    if (uart16550_get(&uart->chip, IIR) & IIR_NONE) {
        spinlock_release(&uart->stream.lock, state);
        return 0;
    }
    do {
        while (uart16550_get(&uart->chip, LSR) & LSR_DATA && stream_room(&uart->stream)) {
            stream_input(&uart->stream, (char)uart16550_get(&uart->chip, RBR));
            any = true;
        }
        if (!stream_room(&uart->stream))
            uart16550_set(&uart->chip, IER, 0);
    } while (!(uart16550_get(&uart->chip, IIR) & IIR_NONE) && stream_room(&uart->stream));
    if (any)
        stream_input_ready(&uart->stream);
    spinlock_release(&uart->stream.lock, state);
    return 1;
}

/* A chip keeps what is written to its scratch register. */
static bool stream_uart_start(struct stream *stream)
{
    struct uart16550_stream *uart = uart16550_stream_uart_of(stream);

    uart16550_set(&uart->chip, SCRATCH, 0x5a);
    if (uart16550_get(&uart->chip, SCRATCH) != 0x5a)
        return false;
    uart16550_chip_boot(&uart->chip, FCR_8_BYTES);
    interrupt_establish(uart->line(), IPL_VM, stream_uart_handle, uart, uart->name, &uart->handler);
    uart16550_set(&uart->chip, IER, IER_RX | IER_LINE);
    return true;
}

static void stream_uart_put(struct stream *stream, const char *text, size_t length)
{
    struct uart16550_stream *uart = uart16550_stream_uart_of(stream);
    uintptr_t state;

    while (length > 0) {
        size_t burst = length < FIFO_SIZE ? length : FIFO_SIZE;

        state = spinlock_acquire(&uart->put_lock);
        while (!(uart16550_get(&uart->chip, LSR) & LSR_THR_EMPTY))
            ;
        for (size_t i = 0; i < burst; i++)
            uart16550_set(&uart->chip, RBR, (uint8_t)text[i]);
        spinlock_release(&uart->put_lock, state);
        text += burst;
        length -= burst;
    }
}

static void stream_uart_resume(struct stream *stream)
{
    uart16550_set(&uart16550_stream_uart_of(stream)->chip, IER, IER_RX | IER_LINE);
}

void uart16550_stream_attach(struct uart16550_stream *uart)
{
    uart->stream.start = stream_uart_start;
    uart->stream.put = stream_uart_put;
    uart->stream.resume = stream_uart_resume;
    spinlock_init(&uart->put_lock, "second line's writer");
    stream_attach(&uart->stream);
}
