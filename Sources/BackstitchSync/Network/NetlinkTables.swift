import BackstitchSupport

// The constants and layouts are those of Linux's headers linux/netlink.h, linux/rtnetlink.h and net/if.h. No Swift
// module provides them. They are part of the kernel's interface to programs, so they never change.

/// The kernel's tables of links and routes, reduced to the question whether packets can leave the machine. The links
/// must be read first.
struct NetlinkTables: Sendable {
    /// The reason why a table could not be read.
    enum Fault: Error, Hashable {
        /// The kernel refuses, with this errno.
        case refused(Int32)
        /// The bytes are not netlink messages.
        case malformed
        /// The table has changed while it was read.
        case interrupted
    }

    /// Whether each link can carry packets to other machines, by the link's number.
    private var links: [Int32: Bool] = [:]
    /// Whether a route over one of those links leads further than the link itself.
    private(set) var hasRoute = false

    /// Parses a part of the answer to a request; returns whether it was the last one.
    mutating func take(_ part: UnsafeRawBufferPointer, sequence: UInt32) throws(Fault) -> Bool {
        var rest = part[...]
        var isInterrupted = false
        while rest.count >= 16 {
            let message = UnsafeRawBufferPointer(rebasing: rest)
            let length = Int(message.loadUnaligned(as: UInt32.self))
            guard length >= 16, length <= message.count else { throw .malformed }
            rest = rest.dropFirst((length + 3) & ~3)
            guard message.loadUnaligned(fromByteOffset: 8, as: UInt32.self) == sequence else { continue }
            // NLM_F_DUMP_INTR
            if message.loadUnaligned(fromByteOffset: 6, as: UInt16.self) & 0x10 != 0 { isInterrupted = true }
            let body = UnsafeRawBufferPointer(rebasing: message[16..<length])
            switch message.loadUnaligned(fromByteOffset: 4, as: UInt16.self) {
            // NLMSG_ERROR and NLMSG_DONE, which may have an error too
            case 2, 3:
                let code = body.count >= 4 ? body.loadUnaligned(as: Int32.self) : 0
                guard code >= 0 else { throw .refused(code == .min ? .max : -code) }
                if isInterrupted { throw .interrupted }
                return true
            // RTM_NEWLINK and RTM_NEWROUTE
            case 16: try takeLink(body)
            case 24: try takeRoute(body)
            default: break
            }
        }
        guard rest.isEmpty else { throw .malformed }
        if isInterrupted { throw .interrupted }
        return false
    }

    /// Parses an ifinfomsg, the description of a link.
    private mutating func takeLink(_ body: UnsafeRawBufferPointer) throws(Fault) {
        guard body.count >= 16 else { throw .malformed }
        let flags = body.loadUnaligned(fromByteOffset: 8, as: UInt32.self)
        // IFF_UP and IFF_RUNNING without IFF_LOOPBACK
        links[body.loadUnaligned(fromByteOffset: 4, as: Int32.self)] = flags & (0x1 | 0x40 | 0x8) == 0x1 | 0x40
    }

    /// Parses an rtmsg, the description of a route.
    private mutating func takeRoute(_ body: UnsafeRawBufferPointer) throws(Fault) {
        guard body.count >= 12 else { throw .malformed }
        let destinationLength = body[1]
        // RTN_UNICAST, without RTM_F_CLONED, which marks a cached route.
        guard body[7] == 1, body.loadUnaligned(fromByteOffset: 8, as: UInt32.self) & 0x200 == 0 else { return }
        var link: Int32?
        var rest = body.dropFirst(12)
        while rest.count >= 4 {
            let attribute = UnsafeRawBufferPointer(rebasing: rest)
            let length = Int(attribute.loadUnaligned(as: UInt16.self))
            guard length >= 4, length <= attribute.count else { throw .malformed }
            switch attribute.loadUnaligned(fromByteOffset: 2, as: UInt16.self) {
            // RTA_DST: fe80::/10 and ff00::/8 end at the link, which may have no other machine.
            case 1 where body[0] == 10 && length >= 6 && destinationLength >= 8:
                let isLinkLocal = attribute[4] == 0xFE && attribute[5] & 0xC0 == 0x80
                if isLinkLocal || attribute[4] == 0xFF { return }
            // RTA_OIF
            case 4 where length >= 8: link = attribute.loadUnaligned(fromByteOffset: 4, as: Int32.self)
            default: break
            }
            rest = rest.dropFirst((length + 3) & ~3)
        }
        // A route over several links, or over a new one, counts as a route to elsewhere.
        if link.flatMap({ links[$0] }) ?? true { hasRoute = true }
    }
}
