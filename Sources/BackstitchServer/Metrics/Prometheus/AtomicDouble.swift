import Synchronization

/// A number with a fraction. Threads change it without a lock.
struct AtomicDouble: ~Copyable {
    private let bits = Atomic<UInt64>(0)

    func get() -> Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

    func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }

    func add(_ amount: Double) {
        var old = bits.load(ordering: .relaxed)
        while true {
            let sum = Double(bitPattern: old) + amount
            let (isDone, now) = bits.weakCompareExchange(
                expected: old, desired: sum.bitPattern, ordering: .relaxed)
            if isDone { return }
            old = now
        }
    }
}
