/// The options on the command line.
struct Options {
    /// Beginnings of names, separated by commas; nil for all.
    var only: [String]?
    /// The whole name of a single benchmark.
    var exactly: String?
    /// The number of rounds; nil for the number of each benchmark.
    var rounds: Int?
    /// The part of the full size to run.
    var scale = 1.0
    /// Runs only this side, without measurement, so that a profiler or an instruction counter can watch it.
    var side: String?
    /// The file for the results as JSON.
    var results: String?
    /// Lists the benchmarks instead of running them.
    var lists = false

    static let usage = """
        usage: Benchmarks [--only NAMES | --exactly NAME] [--rounds N] [--scale PART] [--side NAME] [--results FILE] [--list]
        """

    init(_ arguments: [String]) throws {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            if name == "--list" {
                lists = true
                continue
            }
            guard let value = rest.popFirst() else { throw BenchmarkError(Self.usage) }
            switch name {
            case "--only": only = value.split(separator: ",").map(String.init)
            case "--exactly": exactly = value
            case "--rounds": rounds = Int(value)
            case "--scale": scale = Double(value) ?? 1
            case "--side": side = value
            case "--results": results = value
            default: throw BenchmarkError(Self.usage)
            }
        }
    }

    func picks(_ name: String) -> Bool {
        if let exactly { return name == exactly }
        return only.map { $0.contains { name.hasPrefix($0) } } ?? true
    }

    /// Returns the arguments that run one benchmark with these options.
    func arguments(for name: String) -> [String] {
        var arguments = ["--exactly", name, "--scale", "\(scale)"]
        if let rounds { arguments += ["--rounds", "\(rounds)"] }
        if let results { arguments += ["--results", results] }
        return arguments
    }
}
