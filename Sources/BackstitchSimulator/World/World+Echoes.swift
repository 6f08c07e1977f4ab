import Backstitch
import BackstitchSync
import CloudWire

// The worst moment for a copy of a push to arrive: when it was carried out, and what it had made is deleted. Carried
// out again, it would bring that back.
extension World {
    /// A push was carried out, of which a copy may still be under way.
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
