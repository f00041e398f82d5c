/* SPDX-License-Identifier: BSD-2-Clause */
/* A console on a 16550; see uart16550.h. */
#include "drivers/uart16550.h"
#include "drivers/uart16550_registers.h"

static uint8_t uart16550_register(const struct uart16550 *uart, unsigned reg)
{
    return uart16550_get(&uart->chip, reg);
}

static void uart16550_register_set(const struct uart16550 *uart, unsigned reg, uint8_t value)
{
    uart16550_set(&uart->chip, reg, value);
}

/* LSR; to read it clears its errors, so they are counted here. */
static uint8_t uart16550_line_status(struct uart16550 *uart)
{
    uint8_t status = uart16550_register(uart, LSR);

    if (status & LSR_ERRORS)
        evcnt_incr(&uart->rx_errors);
    if (status & LSR_OVERRUN)
        evcnt_incr(&uart->rx_dropped);
    return status;
}

/* Which interrupts are wanted now. */
static void uart16550_enable(const struct uart16550 *uart, bool transmit)
{
    uart16550_register_set(
        uart, IER, (uint8_t)((uart->stopped ? 0 : IER_RX | IER_LINE) | (transmit ? IER_TX : 0)));
}

static void uart16550_flush(struct console_device *console)
{
    while (!(uart16550_line_status((struct uart16550 *)console) & LSR_ALL_EMPTY))
        ;
}

static void uart16550_put_polled(struct console_device *console, char byte)
{
    struct uart16550 *uart = (struct uart16550 *)console;

    if (uart->transmit_room == 0) { /* an empty holding register means an empty FIFO */
        while (!(uart16550_line_status(uart) & LSR_THR_EMPTY))
            ;
        uart->transmit_room = FIFO_SIZE;
    }
    uart->transmit_room--;
    uart16550_register_set(uart, RBR, (uint8_t)byte);
    evcnt_incr(&uart->tx_bytes);
}

/*
 * Fills the transmit FIFO from the console's ring if it is empty; console's lock held. The transmit
 * interrupt is turned on only behind the last byte, so that a batch brings one interrupt, however
 * fast the line is.
 */
static void uart16550_transmit(struct uart16550 *uart)
{
    char bytes[FIFO_SIZE];
    size_t count;

    if (uart16550_line_status(uart) & LSR_THR_EMPTY) {
        count = console_output(bytes, sizeof bytes);
        uart->transmit_room = 0;
        for (size_t i = 0; i < count; i++) {
            uart16550_register_set(uart, RBR, (uint8_t)bytes[i]);
            evcnt_incr(&uart->tx_bytes);
        }
        uart->transmitting = count != 0;
    } else {
        uart->transmitting = true; /* the line is slow: the interrupt comes when there is room */
    }
    if (uart->transmitting)
        uart16550_enable(uart, true);
}

static void uart16550_start(struct console_device *console)
{
    struct uart16550 *uart = (struct uart16550 *)console;

    if (!uart->transmitting)
        uart16550_transmit(uart);
}

/* Takes up to COUNT bytes that the chip has received; false if there may be more. Sets *any if
 * there was one. */
static bool uart16550_receive(struct uart16550 *uart, unsigned count, bool *any)
{
    uint8_t status;

    while (count > 0 && (status = uart16550_line_status(uart)) & (LSR_DATA | LSR_ERRORS)) {
        if (!(status & LSR_DATA))
            continue;
        if (!console_input_room()) {
            uart->stopped = true;
            uart16550_enable(uart, false);
            return true;
        }
        evcnt_incr(&uart->rx_bytes);
        console_input((char)uart16550_register(uart, RBR));
        *any = true;
        count--;
    }
    return count > 0;
}

/*
 * The lock is let go after each FIFO's worth, so that a sender that never pauses does not keep
 * interrupts off. The line is edge-triggered: it brings a new edge only after all that the chip has
 * was seen at one moment, hence the last look at IIR.
 */
static int uart16550_handle(void *argument)
{
    struct uart16550 *uart = argument;
    uintptr_t state = console_acquire();
    bool received = false;

    if (uart16550_register(uart, IIR) & IIR_NONE) {
        console_release(state);
        return 0;
    }
    if (uart->transmitting)
        uart16550_enable(uart, false);
    do {
        while (!uart->stopped && !uart16550_receive(uart, FIFO_SIZE, &received)) {
            console_release(state);
            state = console_acquire();
        }
    } while (!(uart16550_register(uart, IIR) & IIR_NONE));
    if (uart->transmitting)
        uart16550_transmit(uart);
    console_release(state);
    if (received)
        softint_schedule(&uart->received);
    return 1;
}

static void uart16550_resume(struct console_device *console)
{
    struct uart16550 *uart = (struct uart16550 *)console;

    uart->stopped = false;
    uart16550_enable(uart, uart->transmitting);
}

static void uart16550_deliver(void *argument)
{
    uintptr_t state = console_acquire();

    (void)argument;
    console_input_ready();
    console_release(state);
}

void uart16550_boot(struct uart16550 *uart, const char *name, uint16_t port)
{
    uart->console = (struct console_device){name, uart16550_start, uart16550_put_polled,
                                            uart16550_flush, uart16550_resume};
    uart->name = name;
    uart->chip = (struct uart16550_chip){.port = port};
    uart16550_chip_boot(&uart->chip, FCR_8_BYTES);
}

void uart16550_attach(struct uart16550 *uart, struct interrupt_line *line)
{
    evcnt_attach_dynamic_nozero(&uart->rx_bytes, EVCNT_TYPE_MISC, NULL, uart->name, "rx bytes");
    evcnt_attach_dynamic_nozero(&uart->tx_bytes, EVCNT_TYPE_MISC, NULL, uart->name, "tx bytes");
    evcnt_attach_dynamic(&uart->rx_errors, EVCNT_TYPE_MISC, NULL, uart->name, "rx errors");
    evcnt_attach_dynamic(&uart->rx_dropped, EVCNT_TYPE_MISC, NULL, uart->name, "rx dropped");
    softint_establish(&uart->received, IPL_SOFTSERIAL, uart16550_deliver, NULL, uart->name);
    interrupt_establish(line, IPL_VM, uart16550_handle, uart, uart->name, &uart->handler);
    uart16550_register_set(uart, IER, IER_RX | IER_LINE);
}
