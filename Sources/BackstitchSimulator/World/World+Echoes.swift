import Backstitch
import BackstitchSync
import CloudWire

// The worst moment for a copy of a push: the push was carried out, and its new object is deleted. A second execution
// would bring the object back.
extension World {
    /// Called when a push was carried out. A copy of it may still be under way.
    func provoke(echoOf exchange: Exchange) {
        guard let push = exchange.push, provokes(.weather, 100),
            let made = push.operations.first(where: { $0.operationType == .create })
        else { return }
        echo(exchange, of: RecordName.key(of: made.record.recordName, zone: exchange.zone).key, looks: 60)
    }

    private func echo(_ exchange: Exchange, of key: ObjectKey, looks: Int) {
        scheduler.after(500) { [self] in
            guard !isHealed, looks > 0 else { return }
            guard ledger.isGone(key) else { return echo(exchange, of: key, looks: looks - 1) }
            situations.note("a push arrived again when what it had made was deleted")
            network.arrive(exchange, isAnswered: false)
        }
    }
}
