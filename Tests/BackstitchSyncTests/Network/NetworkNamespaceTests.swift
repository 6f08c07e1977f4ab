#if os(Linux)
import BackstitchTestKit
import Foundation
import TestSupport
import Testing

/// Processes in a network namespace of their own. A test adds and removes its interfaces.
enum NetworkNamespace {
    private static let environment = [
        "PATH": (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin") + ":/usr/sbin:/sbin"
    ]

    /// Whether the kernel, or the container that the tests run in, lets a process have one.
    static let isAllowed: Bool = {
        let program = URL(filePath: "/usr/bin/env")
        let probe = try? TestProcess(
            at: program, ["unshare", "-rn", "true"], environment: environment, errors: .discarded)
        return probe?.finish().status == 0
    }()

    /// Starts a program built along with the tests in a new namespace, after a shell command.
    static func start(
        _ program: String, _ arguments: [String], after command: String = "true", environment: [String: String] = [:],
        errors: TestProcess.Errors = .inherited
    ) throws -> TestProcess {
        let path = TestProgram.location(of: program).path
        return try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            ["unshare", "-rn", "sh", "-c", "\(command) && exec \"$0\" \"$@\"", path] + arguments,
            environment: Self.environment.merging(environment) { $1 }, errors: errors)
    }

    /// Starts one in the namespace of a process.
    static func join(_ process: TestProcess, _ program: String, _ arguments: [String]) throws -> TestProcess {
        try TestProcess(
            at: URL(filePath: "/usr/bin/env"),
            ["nsenter", "-t", "\(process.identifier)", "-U", "-n", "--preserve-credentials"]
                + [TestProgram.location(of: program).path] + arguments,
            environment: environment, errors: .discarded)
    }

    /// An interface `v0` with an address; `v1` is the other end of its cable.
    static let cable = """
        ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 10.9.8.1/24 dev v0 \
        && ip link set v0 up && ip link set v1 up
        """
}

@Suite(
    "the network of a machine, in a namespace of its own", .timeLimit(.minutes(3)),
    .enabled(if: NetworkNamespace.isAllowed, "no process may have a network namespace here (unshare -rn)"))
struct NetworkNamespaceTests {
    /// Has the probe run a command. Returns the paths that it reports until then and until `path`.
    private func change(_ probe: TestProcess, _ command: String, until path: String?) async throws -> [String] {
        try probe.send("sh \(command)")
        var paths: [String] = []
        var isDone = false
        while !isDone || path != nil && paths.last != path {
            let line = try #require(try await probe.nextLine())
            if line.hasPrefix("path ") {
                paths.append(String(line.dropFirst(5)))
            } else {
                #expect(line == "done 0", "\(command)")
                isDone = true
            }
        }
        return paths
    }

    /// How many sockets to the kernel's tables a process has. Those that read a table are there for a moment only.
    private func sockets(of probe: TestProcess) throws -> Int {
        let place = "/proc/\(probe.identifier)"
        let netlink = Set(
            try String(contentsOfFile: "\(place)/net/netlink", encoding: .utf8).split(separator: "\n").compactMap {
                $0.split(separator: " ").last.map(String.init)
            })
        return try FileManager.default.contentsOfDirectory(atPath: "\(place)/fd").count { number in
            // A descriptor closed meanwhile does not count.
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "\(place)/fd/\(number)")
            return target.map { netlink.contains($0.trimmingPrefix("socket:[").trimmingCharacters(in: ["]"])) } ?? false
        }
    }

    @Test("is told as interfaces, cables, addresses and routes come and go, in order; the end gives the socket back")
    func changes() async throws {
        let probe = try NetworkNamespace.start("SyncProbe", ["network"])
        defer { probe.kill() }
        #expect(try await probe.nextLine() == "ready")
        #expect(try await probe.ask("watch") == "path unavailable")
        #expect(try await probe.ask("rest") == "rested")
        #expect(try await eventually { try sockets(of: probe) == 0 })
        // By now the process has all that it keeps.
        let before = try probe.descriptors()
        // A second listener needs no second socket.
        for _ in 0..<2 {
            #expect(try await probe.ask("watch") == "path unavailable")
            #expect(try await eventually { try sockets(of: probe) == 1 })
        }
        #expect(try await probe.ask("rest") == "rested")
        #expect(try await eventually { try sockets(of: probe) == 0 })
        #expect(try probe.descriptors() == before)

        #expect(try await probe.ask("watch") == "path unavailable")
        #expect(try await change(probe, "ip link set lo up", until: nil) == [])
        let steps: [(command: String, path: String)] = [
            (NetworkNamespace.cable, "available"), ("ip link set v1 down", "unavailable"),
            ("ip link set v1 up", "available"), ("ip addr flush dev v0", "unavailable"),
            ("ip route add default dev v0", "available"), ("ip link set v0 down", "unavailable"),
            ("ip link set v0 up && ip addr add 2001:db8::1/64 dev v0", "available"),
            ("ip link del v0", "unavailable"),
        ]
        for (command, path) in steps {
            #expect(try await change(probe, command, until: path) == [path], "\(command)")
        }
        #expect(try await probe.ask("rest") == "rested")
        #expect(try await eventually { try sockets(of: probe) == 0 })
        #expect(try probe.descriptors() == before)
    }

    @Test("thousands of changes at once end in the path that holds")
    func storm() async throws {
        let probe = try NetworkNamespace.start("SyncProbe", ["network"])
        defer { probe.kill() }
        #expect(try await probe.nextLine() == "ready")
        #expect(try await probe.ask("watch") == "path unavailable")
        let routes =
            "for i in $(seq 1 200); do for j in $(seq 1 20); do echo route add 20.$i.$j.0/24 dev v0; done; done"
        let paths = try await change(
            probe, "\(NetworkNamespace.cable) && \(routes) | ip -batch -", until: "available")
        #expect(paths == ["available"])
        #expect(try await change(probe, "ip link del v0", until: "unavailable") == ["unavailable"])
    }

    @Test("a store waits without its network, and syncs when it has it back, with a real server")
    func store() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "backstitch-network-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let api = "canary-api-0123456789abcdef", web = "canary-web-0123456789abcdef"
        let server = try NetworkNamespace.start(
            "backstitch",
            [
                "serve", "--host", "10.9.8.1", "--port", "0", "--log-level", "critical", "--until-input-ends",
                "--insecure-http", "--any-container", "--storage", folder.appending(path: "server").path,
            ],
            after: NetworkNamespace.cable,
            environment: ["BACKSTITCH_API_TOKENS": api, "BACKSTITCH_USERS": "_ann:\(web)"])
        defer { server.kill() }
        let line = try #require(try await server.nextLine())
        let url = try #require(line.split(separator: " ").first { $0.hasPrefix("http://") })
        let device = try NetworkNamespace.join(
            server, "SyncProbe",
            [
                folder.appending(path: "device").path, String(url), "Backstitch", "syncConnectivity=monitor",
                "syncAPIToken=\(api)", "syncWebAuthToken=\(web)",
            ])
        defer { device.kill() }
        #expect(try await device.nextLine()?.hasPrefix("ready") == true)
        _ = try await device.ask("add one")
        #expect(try await eventually { try await device.ask("status") == "status idle 0 0" })
        for round in 0..<2 {
            #expect(try await device.ask("sh ip link set v0 down") == "done 0")
            #expect(try await eventually { try await device.ask("status") == "status offline 0 0" })
            _ = try await device.ask("add two \(round)")
            #expect(try await device.ask("status") == "status offline 1 0")
            #expect(try await device.ask("sh ip link set v0 up") == "done 0")
            #expect(try await eventually { try await device.ask("status") == "status idle 0 0" })
        }
    }

    @Test("a system that gives no socket leaves it unknown, and says so once")
    func refused() async throws {
        let probe = try NetworkNamespace.start("SyncProbe", ["network"], after: "ulimit -n 64", errors: .withOutput)
        defer { probe.kill() }
        #expect(try await probe.nextLine() == "ready")
        // By now the process has all that it keeps.
        #expect(try await probe.ask("watch") == "path unavailable")
        #expect(try await probe.ask("rest") == "rested")
        #expect(try await probe.ask("fill") == "filled")
        var lines: [String] = []
        for _ in 0..<2 {
            for (command, answer) in [("watch", "path unknown"), ("rest", "rested")] {
                try probe.send(command)
                repeat { lines.append(try #require(try await probe.nextLine())) } while lines.last != answer
            }
        }
        let told = lines.filter { $0.contains("does not say whether there is a network") }
        #expect(told.count == 1 && told[0].contains("Too many open files"), "\(lines)")
    }
}
#endif
