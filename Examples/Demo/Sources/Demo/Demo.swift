import ArgumentParser
import Backstitch
import BackstitchSync
import Foundation

/// The demonstration: its steps, in order.
struct Demo {
    private let dataset: any Dataset
    private let folder: URL
    private let foreignServer: URL?

    init(dataset: any Dataset, folder: URL, server: URL?) {
        self.dataset = dataset
        self.folder = folder
        foreignServer = server
    }

    /// Runs all steps, in order.
    ///
    /// - Throws: `ExitCode.failure` when the devices differ, or when a conflict's result contradicts its policy.
    func run(keepsFolder: Bool) async throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { if !keepsFolder { try? FileManager.default.removeItem(at: folder) } }
        let ownServer = foreignServer == nil ? try await DemoServer(storage: folder.appending(path: "server")) : nil
        guard let server = foreignServer ?? ownServer?.url else { return }

        Terminal.line("Backstitch demo: \(dataset.title)")
        let a = try Device("A", folder: folder.appending(path: "device-a"), server: server, dataset: dataset)
        let b = try Device("B", folder: folder.appending(path: "device-b"), server: server, dataset: dataset)
        var report = Report()
        try await fill(a, b, &report)
        for (round, policy) in ["serverWins", "clientWins"].enumerated() {
            try await quarrel(a, b, policy: policy, round: round, server: ownServer, &report)
        }
        try await fetchOneAsset(on: b)
        let comparison = try await ReplicaComparison(a.container, b.container)
        try a.close()
        try b.close()
        try await ownServer?.stop()
        report.print(comparison)
        guard comparison.differences.isEmpty, report.allAsExpected else { throw ExitCode.failure }
    }

    private func fill(_ a: Device, _ b: Device, _ report: inout Report) async throws {
        // Each device first sends the unsent changes of an earlier run: A must not import objects that B already has.
        _ = try await b.sync("catch up")
        _ = try await a.sync("catch up")
        let importing = ProgressBar("A imports", total: dataset.expectedCount)
        try await dataset.importAll(into: a.container) { importing.update($0) }
        let total = try await objectCount(a)
        report.phases.append(importing.finish(total))

        let pushing = ProgressBar("A sends to the server", total: total)
        report.phases.append(pushing.finish(try await a.sync("first upload", showing: pushing).sent))
        let pulling = ProgressBar("B receives", total: total)
        report.phases.append(pulling.finish(try await b.sync("first download", showing: pulling).received))
    }

    /// Both devices edit the same objects while the server is down, come back one after the other, and converge.
    private func quarrel(
        _ a: Device, _ b: Device, policy: String, round: Int, server: DemoServer?, _ report: inout Report
    ) async throws {
        try a.reopen(policy: policy)
        try b.reopen(policy: policy)
        let scenario = try await ConflictScenario(dataset.stage, policy: policy, round: round, on: a)
        try await server?.stop()
        try await scenario.editOnA(a)
        try await scenario.editOnB(b)
        if let server {
            try await showOffline(a)
            try await server.restart()
        }
        let bar = ProgressBar("both come back, \(policy)", total: 0)
        var sent = try await a.sync("back online").sent
        let summary = try await b.sync("back online")
        sent += summary.sent + summary.received
        sent += try await a.sync("catch up").received
        report.phases.append(bar.finish(sent))
        report.add(try await scenario.outcomes(on: a), policy: policy, reported: summary.conflicts.count)
    }

    /// Shows that offline is a readable state, and not an error that loses changes.
    private func showOffline(_ device: Device) async throws {
        do {
            _ = try await device.sync("while offline")
        } catch let error as BackstitchError where error.code == .network {
            let status = try await device.container.requireSync().status
            Terminal.line("  \(device.name) is \(status.state): \(status.pendingCount) changes wait")
        }
    }

    private func fetchOneAsset(on device: Device) async throws {
        guard let key = dataset.excludedAssets.first else { return }
        let stage = dataset.stage
        let request = try FetchRequest<ManagedObject>(
            entityName: stage.entity, where: "%K != nil", key, sortedBy: [.ascending(stage.name)], limit: 1)
        let found = try await device.container.perform { context in
            try context.fetch(request).map { ($0.objectID, $0[stage.name] as String) }
        }
        guard let (id, name) = found.first else { return }
        let sync = try device.container.requireSync()
        let before = try await sync.assets.state(key, of: id)
        let asset = try await sync.assets.download(key, of: id)
        let after = try await sync.assets.state(key, of: id)
        Terminal.line("  B asks for \(key) of \(name): \(before), then \(after), \(asset.size) bytes")
    }

    private func objectCount(_ device: Device) async throws -> Int {
        try await device.container.perform { context in
            try context.model.entities.reduce(0) {
                $0 + (try context.count(for: FetchRequest<ManagedObject>(entityName: $1.name)))
            }
        }
    }
}
