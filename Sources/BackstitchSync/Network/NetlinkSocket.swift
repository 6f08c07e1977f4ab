#if os(Linux)
import BackstitchSupport

#if canImport(Musl)
import Musl
#else
import Glibc
#endif

/// A socket to the kernel's tables of links and routes. The code that opens it closes it. No call blocks.
struct NetlinkSocket: Sendable {
    let descriptor: Int32

    /// The groups for changes of links, and of the addresses and routes of IPv4 and IPv6: RTMGRP_LINK,
    /// RTMGRP_IPV4_IFADDR, RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR and RTMGRP_IPV6_ROUTE of linux/rtnetlink.h.
    static let changes: UInt32 = 0x1 | 0x10 | 0x40 | 0x100 | 0x400

    /// Opens a socket that receives messages of these groups.
    init(hearing groups: UInt32 = 0) throws(SystemError) {
        // SOCK_RAW has different types in different C libraries. SOCK_CLOEXEC and SOCK_NONBLOCK are the same as those
        // of open. NETLINK_ROUTE is 0.
        descriptor = socket(AF_NETLINK, 3 | O_CLOEXEC | O_NONBLOCK, 0)
        guard descriptor >= 0 else { throw Self.failure("socket") }
        // sockaddr_nl of linux/netlink.h: family, padding, an address that the kernel chooses, groups.
        var address = [UInt32](repeating: 0, count: 3)
        address[2] = groups
        let status = address.withUnsafeMutableBytes { bytes in
            bytes.storeBytes(of: UInt16(AF_NETLINK), as: UInt16.self)
            return bind(descriptor, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
        guard status == 0 else {
            let failure = Self.failure("bind")
            close()
            throw failure
        }
    }

    func send(_ message: [UInt8]) throws(SystemError) {
        guard Self.sendAll(descriptor, message) == message.count else { throw Self.failure("send") }
    }

    /// Receives a message's bytes; nil if there is none now.
    func receive(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> UnsafeRawBufferPointer? {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count >= 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
            if errno == EAGAIN { return nil }
            guard errno == EINTR else { throw Self.failure("recv") }
        }
    }

    func close() { _ = systemClose(descriptor) }

    private static func sendAll(_ descriptor: Int32, _ message: [UInt8]) -> Int {
        #if canImport(Musl)
        Musl.send(descriptor, message, message.count, 0)
        #else
        Glibc.send(descriptor, message, message.count, 0)
        #endif
    }

    private static func failure(_ call: String) -> SystemError { .last(call, "netlink") }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
#endif
