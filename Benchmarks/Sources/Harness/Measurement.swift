import Foundation

/// The result of a benchmark for Backstitch and one peer. Its properties are the fields of `results.json`.
struct Measurement: Codable {
    var name: String
    var summary: String
    /// The median time of Backstitch, in seconds.
    var ours: Double
    /// The median time of the peer, in seconds.
    var peer: Double
    var peerName: String
    /// The median over the rounds of Backstitch's time divided by the peer's.
    var ratio: Double
    /// Half the distance between the quartiles of that ratio.
    var spread: Double
    /// The same ratio of processor times. Other work on the machine disturbs it less.
    var processorRatio: Double
    /// The highest wanted ratio, if there is one.
    var target: Double?

    init(_ benchmark: Benchmark, _ ours: [Stopwatch], _ theirs: [Stopwatch], _ peer: Side) {
        name = benchmark.name
        summary = benchmark.summary
        let ratios = zip(ours, theirs).map { $0.wall / $1.wall }
        self.ours = ours.map(\.wall).quantile(0.5)
        self.peer = theirs.map(\.wall).quantile(0.5)
        peerName = peer.name
        ratio = ratios.quantile(0.5)
        spread = (ratios.quantile(0.75) - ratios.quantile(0.25)) / 2
        processorRatio = zip(ours, theirs).map { $0.processor / max($1.processor, 1e-9) }.quantile(0.5)
        target = peer.target
    }

    var line: String {
        let aim = target.map { "target \($0)  " + (ratio <= $0 ? "met" : "MISSED") } ?? ""
        let times = String(format: "%10.2f ms %10.2f ms", ours * 1000, peer * 1000)
        let ratios = String(format: "%7.2f ± %4.2f  (processor %6.2f)", ratio, spread, processorRatio)
        return "\(name.padded(to: 20)) \(peerName.padded(to: 26)) \(times) \(ratios)  \(aim)"
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension [Double] {
    /// The quantile for a part between 0 and 1. Between neighbouring values it is interpolated linearly.
    package func quantile(_ part: Double) -> Double {
        let sorted = sorted()
        guard let last = sorted.indices.last else { return .nan }
        let place = part * Double(last)
        let low = Int(place.rounded(.down)), high = Int(place.rounded(.up))
        return sorted[low] + (sorted[high] - sorted[low]) * (place - Double(low))
    }
}
